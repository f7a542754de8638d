package dev.postrider.bench;

import dev.postrider.bench.crash.CrashReport;
import dev.postrider.bench.crash.CrashSuite;
import dev.postrider.bench.crash.Trial;
import dev.postrider.bench.crash.TrialResult;
import dev.postrider.bench.process.BenchJson;
import dev.postrider.bench.testbed.Progress;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.time.SystemTime;
import dev.postrider.time.TimeSource;
import java.io.Console;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code postrider crash-test}: runs trials and prints a report. */
@Command(
    name = "crash-test",
    sortOptions = false,
    usageHelpAutoWidth = true,
    header =
        "Injects faults into this server under load and checks that no accepted message is lost.",
    description = {
      "",
      "Starts the packaged server and PostgreSQL as child processes and sends messages to a receiver",
      "that records each request. Meanwhile, kills and freezes processes, fills the disk and changes",
      "clocks, in a random order that --seed repeats. Then compares the requests that arrived, the",
      "API and the tables with the messages that were accepted. Linux only.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all checks passed",
      "1:a check failed (the output contains the seed to repeat the trial), or a trial could not run",
      "2:wrong options"
    },
    footer = {
      "",
      "Examples:",
      "  postrider crash-test --minutes 10",
      "  postrider crash-test --database sqlite --kills 100",
      "  postrider crash-test --trial postgres-freeze --seed 42"
    })
public final class CrashCommand implements Callable<Integer> {
  private static final int OK = 0;
  private static final int VIOLATED = 1;
  private static final int MAX_SEED = 1_000_000_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // picocli acts on it
  private boolean help;

  @Option(
      names = "--minutes",
      defaultValue = "0",
      paramLabel = "N",
      description =
          "Repeat all trials until this time has passed (default: run each once)."
              + " Trials that have started are completed.")
  private double minutes;

  @Option(
      names = "--database",
      defaultValue = "both",
      paramLabel = "KIND",
      description = "sqlite, postgres or both (default: both).")
  private String database = "both";

  @Option(
      names = "--trial",
      split = ",",
      paramLabel = "NAME",
      description = "Run only these trials, comma-separated. --list shows all.")
  private List<String> names = List.of();

  @Option(names = "--list", description = "List the trials and exit.")
  private boolean list;

  @Option(
      names = "--kills",
      defaultValue = "10",
      paramLabel = "N",
      description =
          "How often the trials sqlite-kill and postgres-kill kill the server (default: 10).")
  private int kills;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Repeat the random choices of an earlier run: the seed that it printed.")
  private @Nullable Long seed;

  @Option(
      names = "--jar",
      paramLabel = "FILE",
      description = "The jar of the server to test (default: server/target/postrider.jar).")
  private @Nullable Path jar;

  @Option(names = "--json", description = "Print the report as JSON.")
  private boolean json;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (list) {
      for (Trial trial : Trial.values()) {
        out.printf("%-18s %s%n", trial.text(), trial.title());
      }
      out.flush();
      return OK;
    }
    if (kills < 1 || minutes < 0) {
      throw new ParameterException(
          spec.commandLine(), "--kills must be at least 1 and --minutes at least 0");
    }
    CrashReport report = run(chosen(), new SystemTime());
    out.print(json ? BenchJson.pretty(report) + "\n" : report.text());
    out.flush();
    return report.violated() ? VIOLATED : OK;
  }

  private List<Trial> chosen() {
    if (!names.isEmpty()) {
      return names.stream().map(this::trial).toList();
    }
    return Arrays.stream(Trial.values())
        .filter(trial -> database.equals("both") || trial.storage() == storage())
        .toList();
  }

  private Storage storage() {
    return Arrays.stream(Storage.values())
        .filter(storage -> storage.text().equals(database))
        .findFirst()
        .orElseThrow(
            () ->
                new ParameterException(
                    spec.commandLine(), "--database must be sqlite, postgres or both"));
  }

  private Trial trial(String name) {
    return Arrays.stream(Trial.values())
        .filter(trial -> trial.text().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new ParameterException(
                    spec.commandLine(), "there is no trial '" + name + "'; --list shows them"));
  }

  private CrashReport run(List<Trial> chosen, TimeSource time) {
    boolean terminal = Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    Progress progress = new Progress(System.err, terminal);
    ServerSpec server =
        new ServerSpec(
            jar == null ? BenchArguments.defaultJar() : jar, BenchArguments.flags(null), Map.of());
    long first = seed == null ? ThreadLocalRandom.current().nextInt(MAX_SEED) : seed;
    String startedAt = time.now().truncatedTo(ChronoUnit.SECONDS).toString();
    long began = time.nanos();
    List<TrialResult> results = new ArrayList<>();
    try (CrashSuite suite = CrashSuite.open(server, kills, time, progress)) {
      SplittableRandom seeds = new SplittableRandom(first);
      // The first round's plan is the given seed itself, so that one trial replays by its own seed.
      long roundSeed = first;
      boolean violated = false;
      do {
        for (Trial trial : chosen) {
          TrialResult result = suite.run(trial, roundSeed);
          results.add(result);
          violated |= !result.violations().isEmpty();
        }
        roundSeed = seeds.nextInt(MAX_SEED);
      } while (!violated && (time.nanos() - began) / 60e9 < minutes);
    }
    progress.end();
    return CrashReport.of(startedAt, first, (time.nanos() - began) / 1e9, results);
  }
}
