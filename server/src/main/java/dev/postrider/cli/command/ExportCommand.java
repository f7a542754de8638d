package dev.postrider.cli.command;

import dev.postrider.cli.Cli;
import dev.postrider.cli.Command;
import dev.postrider.cli.Listing;
import dev.postrider.cli.Progress;
import dev.postrider.cli.Remote;
import dev.postrider.cli.Specs;
import dev.postrider.cli.Terminal;
import dev.postrider.cli.UserError;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code postrider export}: messages as one JSON object per line. */
public final class ExportCommand implements Command {
  @Override
  public CommandSpec spec() {
    return Specs.remote(
            "export",
            "Writes an application's messages as one JSON object per line, the oldest first, so"
                + " that import sends them in the same order.")
        .required("APPLICATION", "Its uid or id; of a source, the source's name.")
        .option("--output", "FILE", "Where to write; a file that is there stays. Default: stdout")
        .option("--type", "TYPE", "Only of this event type.")
        .option("--since", "TIME", "Not older: 2026-01-31T12:00:00Z, or 2h.")
        .option("--until", "TIME", "Not younger.")
        .number("--limit", Integer.MAX_VALUE, "At most so many, the oldest.")
        .example("postrider export acme --since 7d > acme.jsonl")
        .example("postrider export acme --output acme.jsonl")
        .done();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String path =
        "/app/"
            + Remote.part(arguments.matchedPositionalValue(0, ""))
            + "/msg"
            + EventsCommand.query(arguments, true)
            // What is left out today would be older than what is exported tomorrow.
            + "&settled=true&order=ascending";
    String output = arguments.matchedOptionValue("--output", "");
    int most = arguments.matchedOptionValue("--limit", Integer.MAX_VALUE);
    try (Remote remote = Remote.of(arguments, terminal)) {
      Iterator<JsonNode> messages = new Listing(remote, path, most).iterator();
      long count;
      if (output.isEmpty()) {
        count = write(messages, terminal.out(), Progress.besideOutput(terminal, "messages", 0));
      } else {
        // Asked once before the file is made: a wrong name must not leave an empty one behind.
        boolean any = messages.hasNext();
        try (BufferedWriter file =
                Files.newBufferedWriter(Path.of(output), StandardOpenOption.CREATE_NEW);
            PrintWriter out = new PrintWriter(file)) {
          count = any ? write(messages, out, Progress.counting(terminal, "messages")) : 0;
          if (out.checkError()) {
            throw new UserError("Cannot write all of " + output + "; is the disk full?");
          }
        }
      }
      terminal.err().println(count + (count == 1 ? " message" : " messages"));
    } catch (FileAlreadyExistsException e) {
      throw new UserError(output + " exists and is left as it is; name another file.");
    } catch (IOException e) {
      throw new UserError("Cannot write " + output + ": " + e.getMessage());
    }
    return Cli.OK;
  }

  /** A payload with line breaks goes as a text, so that it stays what it is. */
  private static JsonNode oneLine(JsonNode message) {
    String payload = message.path("payload").toString();
    if (message instanceof ObjectNode object
        && payload.chars().anyMatch(c -> c == '\n' || c == '\r')) {
      object.putObject("payload").put("rawPayload", payload);
      object.putIfAbsent("contentType", object.stringNode("application/json"));
    }
    return message;
  }

  private static long write(Iterator<JsonNode> messages, PrintWriter out, Progress progress) {
    try (progress) {
      long count = 0;
      while (messages.hasNext()) {
        out.println(oneLine(messages.next()));
        progress.step(++count);
      }
      return count;
    }
  }
}
