package dev.postrider.bench;

import dev.postrider.bench.process.BenchJson;
import dev.postrider.bench.report.BenchReport;
import dev.postrider.bench.report.HtmlReport;
import dev.postrider.bench.report.ScenarioResult;
import dev.postrider.bench.report.TextReport;
import dev.postrider.bench.scenario.BackgroundLoad;
import dev.postrider.bench.scenario.Scenario;
import dev.postrider.bench.scenario.Scenarios;
import dev.postrider.bench.scenario.Variants;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.BenchOptions;
import dev.postrider.bench.testbed.BenchPostgres;
import dev.postrider.bench.testbed.Progress;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import dev.postrider.time.SystemTime;
import dev.postrider.time.TimeSource;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code postrider bench}: runs scenarios and prints a report. */
@Command(
    name = "bench",
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Measures the throughput and latency of this server on this machine.",
    description = {
      "",
      "Starts PostgreSQL with durable commits, the packaged server, a load generator and a receiver"
          + " of",
      "webhooks (the sink), each as a separate process. Prints rates, latencies, CPU per message"
          + " and",
      "memory. Some rates are compared with a raw client, which only sends HTTP requests, in the"
          + " same run.",
      "Linux only. Takes minutes. Run nothing else on the machine meanwhile.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all scenarios ran",
      "1:a scenario failed, or the counts of messages and deliveries do not match",
      "2:wrong options",
      "3:a target was missed (only with --check)"
    },
    footer = {
      "",
      "Examples:",
      "  postrider bench --quick",
      "  postrider bench --scenario throughput,steady200 --database postgres,sqlite",
      "  postrider bench --scenario all --report bench.html --json > bench.json",
      "  postrider bench --scenario noisy-tenant --kinds hung50,slow10s --database sqlite",
      "  postrider bench --variant 'A=,B=POSTRIDER_DATABASE_HOT_CONNECTIONS=1'",
      "  postrider bench --variant A=old/postrider.jar,B=server/target/postrider.jar --rounds 3"
    })
final class BenchCommand implements Callable<Integer> {
  private static final int OK = 0;
  private static final int PROBLEMS = 1;
  private static final int GOAL_MISSED = 3;
  private static final int QUICK_WARM_UP = 5;
  private static final int QUICK_WINDOW = 10;
  private static final long QUICK_MESSAGES = 20_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // picocli acts on it
  private boolean help;

  @Option(
      names = "--scenario",
      split = ",",
      defaultValue = "throughput",
      paramLabel = "NAME",
      description =
          "Scenarios to run, comma-separated, or 'all' (default: throughput). --list shows them.")
  private List<String> scenarios = List.of();

  @Option(names = "--list", description = "List the scenarios and exit.")
  private boolean list;

  @Option(
      names = "--database",
      split = ",",
      defaultValue = "postgres",
      paramLabel = "KIND",
      description = "postgres, sqlite or both, comma-separated (default: postgres).")
  private List<String> databases = List.of();

  @Option(
      names = "--database-url",
      paramLabel = "URL",
      description =
          "Use a running PostgreSQL (postgres://user:password@host:port/database) instead of"
              + " starting one; databases named postrider_bench_* are created and dropped in it.")
  private @Nullable String databaseUrl;

  @Option(
      names = "--quick",
      description =
          "Short test run: warm-up of 5 s, windows of 10 s, small backlogs. Do not compare its"
              + " results.")
  private boolean quick;

  @Option(
      names = "--warm-up",
      defaultValue = "20",
      paramLabel = "SECONDS",
      description = "Length of the load before each window that is not measured (default: 20).")
  private int warmUp;

  @Option(
      names = "--window",
      defaultValue = "60",
      paramLabel = "SECONDS",
      description = "Length of each measured window (default: 60).")
  private int window;

  @Option(
      names = "--connections",
      defaultValue = "256",
      paramLabel = "N",
      description = "Concurrent connections of the load generator (default: 256).")
  private int connections;

  @Option(
      names = "--applications",
      defaultValue = "100",
      paramLabel = "N",
      description = "Number of applications that messages are sent to (default: 100).")
  private int applications;

  @Option(
      names = "--hosts",
      defaultValue = "100",
      paramLabel = "N",
      description = "Number of loopback addresses on which the sink listens (default: 100).")
  private int hosts;

  @Option(
      names = "--payload",
      defaultValue = "500",
      paramLabel = "BYTES",
      description = "Size of each payload (default: 500).")
  private int payload;

  @Option(
      names = "--backlog",
      defaultValue = "500000",
      paramLabel = "N",
      description =
          "Messages in the backlog of the dead endpoint, scenario dead500k (default: 500000).")
  private long backlog;

  @Option(
      names = "--stored",
      defaultValue = "1000000",
      paramLabel = "N",
      description =
          "Messages stored by the scenarios tails, growth, retention and memory (default:"
              + " 1000000).")
  private long stored;

  @Option(
      names = "--long",
      description = "In the scenario growth, also measure with ten times --stored.")
  private boolean longForm;

  @Option(
      names = "--kinds",
      split = ",",
      paramLabel = "KIND",
      description = {
        "What the noisy application of the scenario noisy-tenant does, comma-separated (default:"
            + " all):",
        BackgroundLoad.NAMES
      })
  private List<String> kinds = List.of();

  @Option(
      names = "--jar",
      paramLabel = "FILE",
      description = "The jar of the server to measure (default: server/target/postrider.jar).")
  private @Nullable Path jar;

  @Option(
      names = "--jvm-flags",
      paramLabel = "FLAGS",
      description =
          "JVM flags of the server and the raw client, separated by spaces"
              + " (default: the flags that the launcher ./postrider uses).")
  private @Nullable String jvmFlags;

  @Option(
      names = "--variant",
      paramLabel = "A=…,B=…",
      description = {
        "Compare variants of the server under the same load, in turns. Each variant is a letter"
            + " with a jar,",
        "JVM flags and settings, separated by ';'. An empty variant is the default server."
      })
  private @Nullable String variants;

  @Option(
      names = "--rounds",
      defaultValue = "2",
      paramLabel = "N",
      description = "How often each variant runs (default: 2).")
  private int rounds;

  @Option(names = "--json", description = "Print the report as JSON.")
  private boolean json;

  @Option(
      names = "--report",
      paramLabel = "FILE.html",
      description = "Also write the report with charts to this file.")
  private @Nullable Path report;

  @Option(names = "--check", description = "Exit with code 3 if a target was missed.")
  private boolean check;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (list) {
      Scenarios.all().forEach(s -> out.printf("%-14s %s%n", s.name(), s.title()));
      out.flush();
      return OK;
    }
    List<Scenario> chosen;
    List<Storage> storages;
    Map<String, String> compared;
    try {
      chosen = Scenarios.named(scenarios);
      storages = databases.stream().map(BenchCommand::storage).toList();
      compared = BenchArguments.variants(variants);
      BenchArguments.check(options());
      BackgroundLoad.named(kinds);
    } catch (BenchFailure e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    BenchReport result = run(new SystemTime(), chosen, storages, compared);
    out.print(json ? BenchJson.pretty(result) + "\n" : TextReport.render(result));
    out.flush();
    write(result);
    if (result.hasProblems()) {
      return PROBLEMS;
    }
    return check && result.missesGoals() ? GOAL_MISSED : OK;
  }

  private BenchReport run(
      TimeSource time,
      List<Scenario> chosen,
      List<Storage> storages,
      Map<String, String> compared) {
    Progress progress = new Progress(System.err, terminal());
    List<ScenarioResult> results = new ArrayList<>();
    Map<String, String> settings = new LinkedHashMap<>();
    String startedAt = time.now().truncatedTo(ChronoUnit.SECONDS).toString();
    try (Testbed testbed = Testbed.start(options(), time, progress)) {
      for (Storage storage : storages) {
        for (Scenario scenario : chosen) {
          if (compared.isEmpty()) {
            Scenarios.run(scenario, testbed, storage).ifPresent(results::add);
          } else {
            results.add(Variants.run(testbed, storage, scenario.name(), compared));
          }
        }
      }
      describe(testbed, settings);
      if (results.stream().anyMatch(r -> !r.problems().isEmpty())) {
        testbed.keepLogs();
      }
    }
    progress.end();
    return new BenchReport(
        BenchReport.FORMAT, startedAt, quick, Machines.here(), settings, List.copyOf(results));
  }

  private static boolean terminal() {
    return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
  }

  private void describe(Testbed testbed, Map<String, String> settings) {
    BenchPostgres postgres = testbed.startedPostgres();
    if (postgres != null) {
      postgres.settings().forEach((name, value) -> settings.put("postgres " + name, value));
    }
    BenchOptions options = testbed.options();
    settings.put("command", "postrider " + String.join(" ", arguments()));
    settings.put(
        "warm-up, window", options.warmUpSeconds() + " s, " + options.windowSeconds() + " s");
    settings.put("connections", Integer.toString(options.connections()));
    settings.put("applications", Integer.toString(options.applications()));
    settings.put("payload", options.payloadBytes() + " bytes");
    settings.put("server jvm flags", String.join(" ", options.server().jvmFlags()));
  }

  private List<String> arguments() {
    return spec.commandLine().getParseResult().originalArgs();
  }

  private BenchOptions options() {
    return new BenchOptions(
        new ServerSpec(
            jar == null ? BenchArguments.defaultJar() : jar,
            BenchArguments.flags(jvmFlags),
            Map.of()),
        Optional.ofNullable(databaseUrl),
        quick,
        quick ? Math.min(warmUp, QUICK_WARM_UP) : warmUp,
        quick ? Math.min(window, QUICK_WINDOW) : window,
        connections,
        applications,
        hosts,
        payload,
        new BenchOptions.Volume(
            quick ? Math.min(backlog, QUICK_MESSAGES) : backlog,
            quick ? Math.min(stored, QUICK_MESSAGES) : stored,
            longForm),
        rounds,
        kinds);
  }

  private static Storage storage(String name) {
    for (Storage storage : Storage.values()) {
      if (storage.text().equals(name)) {
        return storage;
      }
    }
    throw new BenchFailure("--database: '" + name + "' is neither postgres nor sqlite");
  }

  private void write(BenchReport result) {
    if (report == null) {
      return;
    }
    try {
      Files.writeString(report, HtmlReport.render(result));
    } catch (IOException e) {
      throw new BenchFailure("cannot write " + report + ": " + e.getMessage(), e);
    }
  }
}
