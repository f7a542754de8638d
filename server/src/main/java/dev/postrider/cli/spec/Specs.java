package dev.postrider.cli.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Builds the specification of a command with the parts that all commands share. */
public final class Specs {
  private final CommandSpec spec;
  private final List<String> footer = new ArrayList<>(List.of("", "Examples:"));
  private int positionals;

  private Specs(CommandSpec spec) {
    this.spec = spec;
  }

  public static Specs command(String name, String description) {
    CommandSpec spec = CommandSpec.create().name(name);
    spec.usageMessage().description(description);
    return new Specs(spec);
  }

  /** Adds options that several commands share. */
  public Specs with(Consumer<CommandSpec> options) {
    options.accept(spec);
    return this;
  }

  public Specs required(String label, String description) {
    return positional(label, true, description);
  }

  public Specs optional(String label, String description) {
    return positional(label, false, description);
  }

  private Specs positional(String label, boolean required, String description) {
    spec.addPositional(positional(positionals++, label, required, description));
    return this;
  }

  /** An argument without a flag. */
  public static PositionalParamSpec positional(
      int index, String label, boolean required, String description) {
    return PositionalParamSpec.builder()
        .index(String.valueOf(index))
        .paramLabel(label)
        .arity(required ? "1" : "0..1")
        .required(required)
        .type(String.class)
        .description(description)
        .build();
  }

  public Specs option(String name, String label, String description) {
    spec.addOption(
        OptionSpec.builder(name)
            .type(String.class)
            .paramLabel(label)
            .description(description)
            .build());
    return this;
  }

  public Specs number(String name, int byDefault, String description) {
    spec.addOption(
        OptionSpec.builder(name)
            .type(Integer.class)
            .paramLabel("N")
            .defaultValue(String.valueOf(byDefault))
            .description(description + " Default: " + byDefault)
            .build());
    return this;
  }

  public Specs flag(String name, String description) {
    spec.addOption(OptionSpec.builder(name).type(boolean.class).description(description).build());
    return this;
  }

  public Specs example(String line) {
    footer.add("  " + line);
    return this;
  }

  public CommandSpec exits(String codes) {
    footer.add("");
    footer.add("Exit codes: " + codes);
    spec.usageMessage().footer(footer.toArray(String[]::new));
    return spec;
  }

  /** The default exit codes. */
  public CommandSpec done() {
    return exits(
        "0 done, 1 the server did not respond or rejected the request, 2 wrong arguments.");
  }
}
