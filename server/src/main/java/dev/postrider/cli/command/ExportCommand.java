package dev.postrider.cli.command;

import dev.postrider.cli.remote.Listing;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Progress;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
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
    return Remote.command(
            "export",
            "Writes the messages of an application as one JSON object per line, oldest first, so"
                + " that postrider import sends them in the same order.")
        .required(
            "APPLICATION",
            "The uid or id of the application; for a source, the name of the source.")
        .option(
            "--output",
            "FILE",
            "File to write; an existing file is never overwritten. Default: stdout")
        .option("--type", "TYPE", "Only messages of this event type.")
        .option(
            "--since",
            "TIME",
            "Only messages since this time: 2026-01-31T12:00:00Z, or an age such as 2h.")
        .option("--until", "TIME", "Only messages before this time.")
        .number(
            "--limit", Integer.MAX_VALUE, "Maximum number of messages, starting with the oldest.")
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
            // Otherwise messages skipped today would be older than those exported tomorrow.
            + "&settled=true&order=ascending";
    String output = arguments.matchedOptionValue("--output", "");
    int most = arguments.matchedOptionValue("--limit", Integer.MAX_VALUE);
    try (Remote remote = Remote.of(arguments, terminal)) {
      Iterator<JsonNode> messages = new Listing(remote, path, most).iterator();
      long count;
      if (output.isEmpty()) {
        count = write(messages, terminal.out(), Progress.withOutput(terminal, "messages", 0));
      } else {
        // Requested before the file is created: a wrong name must not leave an empty file.
        boolean any = messages.hasNext();
        try (BufferedWriter file =
                Files.newBufferedWriter(Path.of(output), StandardOpenOption.CREATE_NEW);
            PrintWriter out = new PrintWriter(file)) {
          count = any ? write(messages, out, Progress.counting(terminal, "messages")) : 0;
          if (out.checkError()) {
            throw new UserError(
                "Writing was interrupted: "
                    + output
                    + " is incomplete. Check the free disk space.");
          }
        }
      }
      terminal.err().println(count + (count == 1 ? " message" : " messages"));
    } catch (FileAlreadyExistsException e) {
      throw new UserError(
          output + " already exists and was not changed. Choose another file name.");
    } catch (IOException e) {
      throw new UserError("Cannot write " + output + ": " + e.getMessage());
    }
    return ExitCode.OK;
  }

  /** A payload with line breaks is written as a string, so that it stays unchanged. */
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
