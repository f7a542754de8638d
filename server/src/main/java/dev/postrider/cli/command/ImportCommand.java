package dev.postrider.cli.command;

import dev.postrider.cli.remote.CallRefused;
import dev.postrider.cli.remote.ExactPayloads;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.JsonOutput;
import dev.postrider.cli.terminal.Progress;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code postrider import}: sends messages written by {@code export}. */
public final class ImportCommand implements Command {
  @Override
  public CommandSpec spec() {
    return Remote.command(
            "import",
            "Sends each line of a file as a message to an application. A line that was sent"
                + " before is not sent again, so an interrupted import can be repeated.")
        .required("APPLICATION", "The uid or id of the application.")
        .required(
            "FILE",
            "The file: one JSON object per line, with eventType and payload; - reads stdin.")
        .flag("--dry-run", "Only checks the file, sends nothing.")
        .example("postrider import acme acme.jsonl")
        .example("postrider export acme | postrider import copy -")
        .exits(
            "0 done, 1 the server did not respond or rejected a line, 2 wrong arguments or an"
                + " invalid line.");
  }

  /**
   * The file to import.
   *
   * @param name the name that the user gave
   */
  private record Input(Path file, String name) {
    BufferedReader open() throws IOException {
      return Files.newBufferedReader(file, StandardCharsets.UTF_8);
    }
  }

  private record Counts(long sent, long known) {}

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String name = arguments.matchedPositionalValue(1, "");
    try {
      if (!name.equals("-")) {
        return run(arguments, terminal, new Input(Path.of(name), name));
      }
      // It is read twice.
      Path copy = Files.createTempFile("postrider-import", ".jsonl");
      try {
        Files.copy(System.in, copy, StandardCopyOption.REPLACE_EXISTING);
        return run(arguments, terminal, new Input(copy, "stdin"));
      } finally {
        Files.delete(copy);
      }
    } catch (IOException e) {
      throw UserError.unreadable(name.equals("-") ? "stdin" : name, e);
    }
  }

  private static int run(ParseResult arguments, Terminal terminal, Input file) throws IOException {
    boolean dry = arguments.matchedOptionValue("--dry-run", false);
    JsonMapper json = JsonMapper.builder().build();
    // The whole file is validated first: a bad line in the middle must not leave half of it
    // sent.
    long lines = check(file, json);
    if (dry) {
      print(terminal, Map.of("lines", lines), lines + " messages are valid, none were sent");
      return ExitCode.OK;
    }
    try (Remote remote = Remote.of(arguments, terminal)) {
      Counts counts =
          send(remote, arguments.matchedPositionalValue(0, ""), file, lines, json, terminal);
      print(
          terminal,
          Map.of("sent", counts.sent(), "known", counts.known()),
          counts.sent() + " sent, " + counts.known() + " were sent before");
    }
    return ExitCode.OK;
  }

  private static void print(Terminal terminal, Map<String, Long> numbers, String text) {
    terminal.out().println(terminal.json() ? JsonOutput.write(numbers) : text);
  }

  private static long check(Input file, JsonMapper json) throws IOException {
    long number = 0;
    try (BufferedReader lines = file.open()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        if (!line.isBlank()) {
          message(line, number, file, json);
        }
      }
    }
    return number;
  }

  private static ObjectNode message(String line, long number, Input file, JsonMapper json) {
    try {
      JsonNode given = ExactPayloads.kept(json.readTree(line), line);
      if (given.path("eventType").isString() && given.has("payload")) {
        ObjectNode message = json.createObjectNode();
        message.set("eventType", given.get("eventType"));
        ObjectNode original = message.putObject("transformationsParams");
        ObjectNode headers = original.putObject("headers");
        if (given.path("headers") instanceof ObjectNode own) {
          headers.setAll(own);
        }
        JsonNode payload = given.get("payload");
        if (given.path("contentType").isString()) {
          message.set("payload", json.createObjectNode());
          original.put(
              "rawPayload",
              ExactPayloads.isWrapped(given)
                  ? payload.get("rawPayload").asString()
                  : payload.toString());
          headers.set("content-type", given.get("contentType"));
          if (given.path("encoding").isString()) {
            original.set("encoding", given.get("encoding"));
          }
        } else {
          message.set("payload", payload);
        }
        String id = given.path("eventId").asString(given.path("id").asString(""));
        if (!id.isEmpty()) {
          message.put("eventId", id);
        }
        for (String list : List.of("channels", "tags")) {
          if (given.path(list).isArray()) {
            message.set(list, given.get(list));
          }
        }
        return message;
      }
    } catch (JacksonException _) {
      // reported below
    }
    throw new UserError(
        "%s:%d: this line is not a message. Each line must be {\"eventType\": …, \"payload\": …}. Nothing was sent."
            .formatted(file.name(), number));
  }

  private static Counts send(
      Remote remote, String application, Input file, long total, JsonMapper json, Terminal terminal)
      throws IOException {
    String path = "/app/" + Remote.part(application) + "/msg?with_content=false";
    long sent = 0;
    long known = 0;
    long number = 0;
    try (BufferedReader lines = file.open();
        Progress progress = Progress.of(terminal, "messages", total)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        if (line.isBlank()) {
          continue;
        }
        try {
          remote.post(path, message(line, number, file, json).toString());
          sent++;
        } catch (CallRefused e) {
          if (e.status() != 409) {
            throw e;
          }
          known++;
        }
        progress.step(number);
      }
    }
    return new Counts(sent, known);
  }
}
