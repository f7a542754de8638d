package dev.postrider.cli;

import dev.postrider.cli.option.PlainServe;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ServeAction;
import dev.postrider.cli.terminal.Terminals;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs the command line and returns the exit code. */
public final class Cli {
  /**
   * The commands that the server's composition root implements.
   *
   * @param more commands that need components of the server
   * @param warmUp starts, uses and stops a server, as a training run of the AOT cache
   */
  public record Actions(ServeAction serve, ServeAction warmUp, List<Command> more) {
    public Actions(ServeAction serve, ServeAction warmUp) {
      this(serve, warmUp, List.of());
    }
  }

  private final Actions actions;
  private final Map<String, String> environment;
  private final PrintWriter out;
  private final PrintWriter err;
  private final Terminals screens;

  /** A terminal that discards its output. */
  public Cli(Actions actions, Map<String, String> environment, PrintWriter out, PrintWriter err) {
    this(actions, environment, out, err, Terminals.NONE);
  }

  public Cli(
      Actions actions,
      Map<String, String> environment,
      PrintWriter out,
      PrintWriter err,
      Terminals screens) {
    this.actions = actions;
    this.environment = environment;
    this.out = out;
    this.err = err;
    this.screens = screens;
  }

  public int run(String... arguments) {
    try {
      Optional<Map<String, String>> plain = PlainServe.flags(arguments);
      return plain.isPresent()
          ? PlainServe.run(actions.serve(), environment, plain.get())
          : new CommandTree(actions, environment, out, err, screens).run(arguments);
    } catch (RuntimeException e) {
      return Complaint.asAsked(err, arguments).about(e);
    } finally {
      out.flush();
      err.flush();
    }
  }
}
