package dev.postrider.cli.command;

import dev.postrider.cli.option.FileOptions;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.JsonOutput;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.FileLocation;
import dev.postrider.text.Nearest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code postrider init}: writes a commented configuration file to start from. */
public final class InitCommand implements Command {
  /** Each is a file in the resources. */
  public static final List<String> TEMPLATES =
      List.of("start", "github", "stripe", "shopify", "slack", "sns", "cron", "agent");

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommandSpec.create()
            .name("init")
            .addOption(
                OptionSpec.builder(FileOptions.CONFIG)
                    .type(String.class)
                    .paramLabel("FILE")
                    .description(
                        "File to write. Default: "
                            + FileOptions.CONFIG_VARIABLE
                            + ", else ./postrider.yaml")
                    .build())
            .addOption(
                OptionSpec.builder("--template")
                    .type(String.class)
                    .paramLabel("NAME")
                    .defaultValue("start")
                    .description(
                        "The template, one of " + String.join(", ", TEMPLATES) + ". Default: start")
                    .build());
    spec.usageMessage()
        .description(
            "Writes a commented configuration file. An existing file is never overwritten.")
        .footer(
            "",
            "Examples:",
            "  postrider init",
            "  postrider init --template github",
            "",
            "Exit codes: 0 written, 2 the file already exists or the template is unknown.");
    return spec;
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String template = arguments.matchedOptionValue("--template", "start");
    if (!TEMPLATES.contains(template)) {
      String guess =
          Nearest.to(template, TEMPLATES).map(near -> " Did you mean " + near + "?").orElse("");
      throw new UserError(
          "Unknown template %s.%s Templates: %s"
              .formatted(template, guess, String.join(", ", TEMPLATES)));
    }
    if (!(FileOptions.location(arguments, terminal) instanceof FileLocation.Local(Path file))) {
      throw new UserError("A file cannot be written to a URL. Give a path with --config.");
    }
    write(file, text(template));
    if (terminal.json()) {
      terminal
          .out()
          .println(JsonOutput.write(Map.of("file", file.toString(), "template", template)));
    } else {
      terminal.out().println("wrote " + file + "; next: postrider validate, then postrider serve");
    }
    return ExitCode.OK;
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text, StandardOpenOption.CREATE_NEW);
    } catch (FileAlreadyExistsException e) {
      throw new UserError(
          file
              + " already exists and was not changed. Choose another file with --config, or move the"
              + " existing file.");
    } catch (NoSuchFileException e) {
      throw new UserError("The folder of " + file + " does not exist; create the folder first.");
    } catch (IOException e) {
      throw new UserError("Cannot write " + file + ": " + e.getMessage() + ".");
    }
  }

  static String text(String template) {
    try (InputStream in =
        InitCommand.class.getResourceAsStream("/templates/" + template + ".yaml")) {
      if (in == null) {
        throw new IllegalStateException("the template " + template + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
