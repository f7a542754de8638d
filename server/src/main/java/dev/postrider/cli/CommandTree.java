package dev.postrider.cli;

import dev.postrider.cli.command.ApplyCommand;
import dev.postrider.cli.command.DeadLettersCommand;
import dev.postrider.cli.command.DeliveriesCommand;
import dev.postrider.cli.command.DoctorCommand;
import dev.postrider.cli.command.EndpointsCommand;
import dev.postrider.cli.command.EnvironmentsCommand;
import dev.postrider.cli.command.EventsCommand;
import dev.postrider.cli.command.ExportCommand;
import dev.postrider.cli.command.HelpCommand;
import dev.postrider.cli.command.ImportCommand;
import dev.postrider.cli.command.InitCommand;
import dev.postrider.cli.command.InspectCommand;
import dev.postrider.cli.command.PlanCommand;
import dev.postrider.cli.command.PruneCommand;
import dev.postrider.cli.command.QueuesCommand;
import dev.postrider.cli.command.ReceivedCommand;
import dev.postrider.cli.command.ReplayCommand;
import dev.postrider.cli.command.ReplayLocalCommand;
import dev.postrider.cli.command.SendCommand;
import dev.postrider.cli.command.ServeCommand;
import dev.postrider.cli.command.ValidateCommand;
import dev.postrider.cli.command.VersionCommand;
import dev.postrider.cli.command.WarmUpCommand;
import dev.postrider.cli.command.follow.ListenCommand;
import dev.postrider.cli.command.follow.TailCommand;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.Terminals;
import dev.postrider.text.Nearest;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/** All commands, parsed with picocli. */
final class CommandTree {
  private final Map<String, Command> commands = new LinkedHashMap<>();
  private final Map<String, String> environment;
  private final PrintWriter out;
  private final PrintWriter err;
  private final Terminals screens;

  CommandTree(
      Cli.Actions actions,
      Map<String, String> environment,
      PrintWriter out,
      PrintWriter err,
      Terminals screens) {
    this.environment = environment;
    this.out = out;
    this.err = err;
    this.screens = screens;
    for (Command command : commands(actions)) {
      commands.put(command.spec().name(), command);
    }
  }

  /** Every subcommand. A new one is added here and nowhere else. */
  private static List<Command> commands(Cli.Actions actions) {
    List<Command> all = new ArrayList<>();
    all.add(new ServeCommand(actions.serve()));
    all.add(new WarmUpCommand(actions.warmUp()));
    all.add(new InitCommand());
    all.add(new ValidateCommand());
    all.add(new PlanCommand());
    all.add(new ApplyCommand());
    all.add(new SendCommand());
    all.add(new ListenCommand());
    all.add(new TailCommand());
    all.add(new EventsCommand());
    all.add(new InspectCommand());
    all.add(new ReplayCommand());
    all.add(new ReplayLocalCommand());
    all.add(new DeliveriesCommand());
    all.add(new ReceivedCommand());
    all.add(new DeadLettersCommand());
    all.add(new EndpointsCommand());
    all.add(new QueuesCommand());
    all.add(new PruneCommand());
    all.add(new EnvironmentsCommand());
    all.add(new ExportCommand());
    all.add(new ImportCommand());
    all.add(new DoctorCommand());
    all.addAll(actions.more());
    all.add(new VersionCommand());
    all.add(new HelpCommand());
    return all;
  }

  int run(String... arguments) {
    try {
      return execute(arguments);
    } catch (ParameterException e) {
      return Complaint.asAsked(err, arguments).about(List.of(explain(e)), e, ExitCode.USER_ERROR);
    }
  }

  private int execute(String... arguments) {
    CommandLine root = commandLine();
    ParseResult parsed = root.parseArgs(arguments);
    ParseResult called = parsed.hasSubcommand() ? parsed.subcommand() : parsed;
    if (called.isUsageHelpRequested() || !parsed.hasSubcommand()) {
      boolean asked = called.isUsageHelpRequested();
      called.commandSpec().commandLine().usage(asked ? out : err);
      return asked ? ExitCode.OK : ExitCode.USER_ERROR;
    }
    Command command = commands.get(called.commandSpec().name());
    if (command == null) {
      throw new IllegalStateException("unknown command " + called.commandSpec().name());
    }
    refuseEmpty(called);
    boolean json = called.matchedOptionValue("--json", false);
    return command.run(called, new Terminal(out, err, environment, json, screens));
  }

  /**
   * A shell passes a variable that is not set as an empty argument, so an empty argument counts as
   * missing.
   */
  private static void refuseEmpty(ParseResult called) {
    for (PositionalParamSpec positional : called.commandSpec().positionalParameters()) {
      if (positional.required() && "".equals(positional.getValue())) {
        throw new MissingParameterException(
            called.commandSpec().commandLine(),
            positional,
            "Missing required parameter: '" + positional.paramLabel() + "' is empty");
      }
    }
  }

  private CommandLine commandLine() {
    CommandSpec spec =
        CommandSpec.create()
            .name("postrider")
            .addOption(everywhere("Shows this help.", "--help", "-h").usageHelp(true).build())
            .addOption(everywhere("Prints the result as JSON.", "--json").build())
            .addOption(everywhere("Prints stack traces of errors.", "--verbose").build());
    spec.usageMessage()
        .description("Postrider, a webhook platform: sends, receives and retries webhooks.")
        .footer(
            "",
            "Examples:",
            "  postrider serve              start the server on http://127.0.0.1:8080",
            "  postrider help config        list every setting",
            "  postrider COMMAND --help     explain a command");
    commands.forEach((name, command) -> spec.addSubcommand(name, new CommandLine(command.spec())));
    return new CommandLine(spec).setUsageHelpLongOptionsMaxWidth(32).setUsageHelpWidth(100);
  }

  private static OptionSpec.Builder everywhere(String description, String... names) {
    return OptionSpec.builder(names)
        .type(boolean.class)
        .scopeType(ScopeType.INHERIT)
        .description(description);
  }

  private String explain(ParameterException e) {
    CommandSpec spec = e.getCommandLine().getCommandSpec();
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return e.getMessage() + ". See: " + spec.qualifiedName() + " --help";
    }
    String word = unmatched.getUnmatched().getFirst();
    if (word.startsWith("-")) {
      int equals = word.indexOf('=');
      String flag = equals < 0 ? word : word.substring(0, equals);
      return Nearest.unknown("flag", flag, spec.optionsMap().keySet(), helpOn(spec));
    }
    return spec.parent() == null
        ? Nearest.unknown("command", word, new TreeSet<>(commands.keySet()), helpOn(spec))
        : "Unexpected argument. See: " + helpOn(spec);
  }

  private static String helpOn(CommandSpec spec) {
    return spec.qualifiedName() + " --help";
  }
}
