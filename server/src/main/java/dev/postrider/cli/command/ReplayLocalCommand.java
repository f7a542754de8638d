package dev.postrider.cli.command;

import dev.postrider.cli.remote.ExactPayloads;
import dev.postrider.cli.remote.LocalTarget;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.spec.Specs;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code postrider replay-local}: posts the messages of a file to a URL on this machine. */
public final class ReplayLocalCommand implements Command {
  @Override
  public CommandSpec spec() {
    return Specs.command(
            "replay-local",
            "Posts each line of a file to a URL on this machine, in the order of the file. The file"
                + " has one message per line, as postrider export and postrider tail --json write"
                + " them. No server is needed.")
        .required(
            "FILE",
            "The file: one JSON object per line, with eventType and payload; - reads stdin.")
        .option(
            "--target", "URL", "URL to post the messages to, such as http://localhost:3000/hook.")
        .option("--secret", "SECRET", "Signs the requests with this endpoint secret.")
        .option(
            "--type",
            "TYPE",
            "Only messages of this event type, or of those that begin like it: invoice.*")
        .number("--limit", 0, "Stops after this many messages; 0 means no limit.")
        .example("postrider export acme > acme.jsonl")
        .example("postrider replay-local acme.jsonl --target http://localhost:3000/hook")
        .example("postrider replay-local - --target http://localhost:3000 --type 'invoice.*'")
        .exits(
            "0 done, 1 a request got no response or one other than 2xx, 2 wrong arguments or an"
                + " invalid line.");
  }

  private static final class Counts {
    private long lines;
    private long sent;
    private long failed;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String name = arguments.matchedPositionalValue(0, "");
    Counts counts = new Counts();
    try (LocalTarget target =
            LocalTarget.of(
                "--target",
                arguments.matchedOptionValue("--target", ""),
                arguments.matchedOptionValue("--secret", ""));
        BufferedReader lines = open(name)) {
      replay(lines, target, arguments, terminal, counts);
    } catch (IOException e) {
      throw UserError.unreadable(name.equals("-") ? "stdin" : name, e);
    }
    terminal
        .err()
        .println(counts.sent + " sent, " + counts.failed + " of them without a 2xx response");
    return counts.failed == 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  private static BufferedReader open(String name) throws IOException {
    return name.equals("-")
        ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
        : Files.newBufferedReader(Path.of(name), StandardCharsets.UTF_8);
  }

  private static void replay(
      BufferedReader lines,
      LocalTarget target,
      ParseResult arguments,
      Terminal terminal,
      Counts counts)
      throws IOException {
    JsonMapper json = JsonMapper.builder().build();
    String type = arguments.matchedOptionValue("--type", "");
    int most = arguments.matchedOptionValue("--limit", 0);
    for (String line = lines.readLine();
        line != null && (most <= 0 || counts.sent < most);
        line = lines.readLine()) {
      counts.lines++;
      JsonNode message = line.isBlank() ? null : message(line, json, arguments, counts);
      if (message != null && isOf(type, message.path("eventType").asString())) {
        counts.sent++;
        counts.failed += target.bring(message, id(message, counts), terminal).ok() ? 0 : 1;
        terminal.out().flush();
      }
    }
  }

  /** A file that was written by hand may have no ids. */
  private static String id(JsonNode message, Counts counts) {
    return message.path("id").asString(message.path("eventId").asString("line-" + counts.lines));
  }

  private static boolean isOf(String wanted, String type) {
    return wanted.endsWith("*")
        ? type.startsWith(wanted.substring(0, wanted.length() - 1))
        : wanted.isEmpty() || wanted.equals(type);
  }

  private static @Nullable JsonNode message(
      String line, JsonMapper json, ParseResult arguments, Counts counts) {
    try {
      JsonNode message = ExactPayloads.kept(json.readTree(line), line);
      if (message.path("eventType").isString() && message.has("payload")) {
        return message;
      }
    } catch (JacksonException _) {
      // reported below
    }
    throw new UserError(
        "%s:%d: this line is not a message. Each line must be {\"eventType\": …, \"payload\": …}. %d messages before it were sent."
            .formatted(arguments.matchedPositionalValue(0, ""), counts.lines, counts.sent));
  }
}
