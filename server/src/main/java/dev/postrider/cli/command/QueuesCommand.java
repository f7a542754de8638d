package dev.postrider.cli.command;

import dev.postrider.cli.remote.Listing;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Columns;
import dev.postrider.cli.terminal.JsonOutput;
import dev.postrider.cli.terminal.Progress;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** {@code postrider queues}: lists, peeks, retries and drains pull queues. */
public final class QueuesCommand implements Command {
  /** The maximum of one receive call. */
  private static final int BATCH = 100;

  /** The maximum of one redrive call; fewer means that there are no more. */
  private static final int REDRIVE_BATCH = 1_000;

  private static final int PEEKED = 10;
  private static final int DEAD_LETTERS = 50;

  @Override
  public CommandSpec spec() {
    return Remote.command(
            "queues",
            "Manages pull queues. list shows the queues of an application, or of all, with their depth;"
                + " inspect shows one with its settings;"
                + " peek shows the next messages without receiving them; dlq lists dead letters;"
                + " retry requeues them; drain receives all waiting"
                + " messages, prints each as one JSON object and acknowledges it.")
        .required("ACTION", "list, inspect, peek, dlq, retry or drain.")
        .optional(
            "APPLICATION",
            "The uid or id of the application; for a source, the name of the source. Default of"
                + " list: all applications.")
        .optional("QUEUE", "The name or id of the queue; not for list.")
        .number(
            "--limit",
            0,
            "peek: maximum number of messages, 10 by default; dlq: 50 by default; drain: stops"
                + " after this many messages, 0 means all.")
        .option("--id", "DELIVERY", "retry: only this dead letter (id).")
        .flag("--force", "drain: confirms that the messages are deleted from the queue.")
        .example("postrider queues list")
        .example("postrider queues list github")
        .example("postrider queues peek github audit --limit 3")
        .example("postrider queues dlq github audit")
        .example("postrider queues retry github audit")
        .example("postrider queues drain github audit --force > audit.jsonl")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String action = arguments.matchedPositionalValue(0, "");
    String application = arguments.matchedPositionalValue(1, "");
    String queues = "/app/" + Remote.part(application) + "/queue";
    String name = arguments.matchedPositionalValue(2, "");
    if (!List.of("list", "inspect", "peek", "dlq", "retry", "drain").contains(action)) {
      throw new UserError(
          (action.isEmpty() ? "Give an action" : "\"%s\" is not an action".formatted(action))
              + ": postrider queues list|inspect|peek|dlq|retry|drain [APPLICATION] [QUEUE].");
    }
    if (name.isEmpty() && !action.equals("list")) {
      throw new UserError(
          "Give the %s: postrider queues %s APPLICATION QUEUE"
              .formatted(application.isEmpty() ? "application and the queue" : "queue", action));
    }
    int limit = Math.max(0, arguments.matchedOptionValue("--limit", 0));
    String queue = queues + "/" + Remote.part(name);
    try (Remote remote = Remote.of(arguments, terminal)) {
      switch (action) {
        case "list" -> {
          if (application.isEmpty()) {
            list(new Listing(remote, "/queue?", Integer.MAX_VALUE), true, terminal);
          } else {
            list(remote.get(queues).path("data"), false, terminal);
          }
        }
        case "inspect" -> inspect(remote, queue, terminal);
        case "dlq" -> deadLetters(remote, queue, limit == 0 ? DEAD_LETTERS : limit, terminal);
        case "peek" -> peek(remote, queue, limit == 0 ? PEEKED : Math.min(limit, BATCH), terminal);
        case "retry" -> retry(remote, queues, queue, arguments, terminal);
        default -> drain(remote, queue, arguments, limit, terminal);
      }
    }
    return ExitCode.OK;
  }

  private static void list(Iterable<JsonNode> queues, boolean ofAll, Terminal terminal) {
    List<String> titles =
        new ArrayList<>(
            List.of("NAME", "WAITING", "IN FLIGHT", "DELAYED", "DEAD LETTERS", "EVENTS"));
    if (ofAll) {
      titles.addFirst("APPLICATION");
    }
    Columns columns = new Columns(titles.toArray(String[]::new));
    for (JsonNode queue : queues) {
      if (terminal.json()) {
        terminal.out().println(queue);
        continue;
      }
      JsonNode depth = queue.path("depth");
      List<String> types = new ArrayList<>();
      queue.path("eventTypes").forEach(type -> types.add(type.asString()));
      List<String> values =
          new ArrayList<>(
              List.of(
                  queue.path("name").asString(),
                  depth.path("waiting").asString(),
                  depth.path("inFlight").asString(),
                  depth.path("delayed").asString(),
                  depth.path("deadLetters").asString(),
                  types.isEmpty() ? "all" : String.join(" ", types)));
      if (ofAll) {
        values.addFirst(
            queue.path("applicationUid").asString(queue.path("applicationId").asString()));
      }
      columns.add(values.toArray(String[]::new));
    }
    if (!terminal.json()) {
      columns.print(terminal.out());
    }
  }

  private static void inspect(Remote remote, String path, Terminal terminal) {
    JsonNode queue = remote.get(path);
    if (terminal.json()) {
      terminal.out().println(queue);
      return;
    }
    Columns columns = new Columns("FIELD", "VALUE");
    queue.properties().forEach(field -> columns.add(field.getKey(), text(field.getValue())));
    columns.print(terminal.out());
  }

  private static String text(JsonNode value) {
    return value.isNull() ? "-" : value.isContainer() ? value.toString() : value.asString();
  }

  private static void deadLetters(Remote remote, String path, int most, Terminal terminal) {
    Columns columns = new Columns("CREATED", "DELIVERY", "MESSAGE", "ATTEMPTS", "REASON", "DETAIL");
    for (JsonNode dead : new Listing(remote, path + "/dead-letter?", most)) {
      if (terminal.json()) {
        terminal.out().println(dead);
        continue;
      }
      columns.add(
          dead.path("createdAt").asString(),
          dead.path("id").asString(),
          dead.path("msgId").asString(),
          dead.path("attempts").asString(),
          dead.path("reason").asString("-"),
          dead.path("detail").asString("-"));
    }
    if (!terminal.json()) {
      columns.print(terminal.out());
    }
  }

  private static void peek(Remote remote, String queue, int limit, Terminal terminal) {
    Columns columns = new Columns("STATE", "AVAILABLE", "MESSAGE", "ATTEMPTS", "TYPE", "PAYLOAD");
    for (JsonNode item : remote.get(queue + "/peek?limit=" + limit).path("data")) {
      if (terminal.json()) {
        terminal.out().println(item);
      } else {
        columns.add(
            item.path("state").asString(),
            item.path("availableAt").asString(),
            item.path("msgId").asString(),
            item.path("attempt").asString(),
            item.path("eventType").asString(),
            item.path("payload").toString());
      }
    }
    if (!terminal.json()) {
      columns.print(terminal.out());
    }
  }

  private static void retry(
      Remote remote, String queues, String queue, ParseResult arguments, Terminal terminal) {
    String delivery = arguments.matchedOptionValue("--id", "");
    int retried = delivery.isEmpty() ? retryAll(remote, queue, terminal) : 1;
    if (!delivery.isEmpty()) {
      remote.get(queue); // reports a wrong queue name before anything is done
      String application = queues.substring(0, queues.length() - "/queue".length());
      remote.post(application + "/delivery/" + Remote.part(delivery) + "/retry", null);
    }
    terminal
        .out()
        .println(
            terminal.json()
                ? JsonOutput.write(Map.of("retried", retried))
                : retried + " are queued for retry");
  }

  private static int retryAll(Remote remote, String queue, Terminal terminal) {
    long total = remote.get(queue).path("depth").path("deadLetters").asLong();
    try (Progress progress = Progress.of(terminal, "dead letters", total)) {
      int retried = 0;
      int last = REDRIVE_BATCH;
      while (last == REDRIVE_BATCH) {
        last = remote.post(queue + "/redrive", null).path("redriven").asInt();
        retried += last;
        progress.step(retried);
      }
      return retried;
    }
  }

  /** Written first, acknowledged then: messages of an interrupted drain are delivered again. */
  private static int drainBatch(Remote remote, String queue, int batch, Terminal terminal) {
    List<String> receipts = new ArrayList<>();
    for (JsonNode item : remote.get(queue + "/messages?batch=" + batch).path("data")) {
      terminal.out().println(item);
      receipts.add(item.path("receipt").asString());
    }
    if (receipts.isEmpty()) {
      return 0;
    }
    if (terminal.out().checkError()) { // flushes
      throw new UserError("The output cannot be written; draining stopped.");
    }
    remote.post(queue + "/ack", JsonOutput.write(Map.of("receipts", receipts)));
    return receipts.size();
  }

  private static void drain(
      Remote remote, String queue, ParseResult arguments, int limit, Terminal terminal) {
    if (!arguments.matchedOptionValue("--force", false)) {
      throw new UserError(
          "Drain deletes the messages from the queue permanently. Add --force to confirm, or"
              + " use peek to look at them.");
    }
    int most = limit == 0 ? Integer.MAX_VALUE : limit;
    long waiting = remote.get(queue).path("depth").path("waiting").asLong();
    int drained = 0;
    try (Progress progress = Progress.withOutput(terminal, "messages", Math.min(most, waiting))) {
      for (int last = 1; drained < most && last > 0; ) {
        last = drainBatch(remote, queue, Math.min(BATCH, most - drained), terminal);
        drained += last;
        progress.step(drained);
      }
    }
    JsonNode depth = remote.get(queue).path("depth");
    terminal
        .err()
        .println(
            "%d drained; %s are leased by consumers, %s delayed"
                .formatted(drained, depth.path("inFlight"), depth.path("delayed")));
  }
}
