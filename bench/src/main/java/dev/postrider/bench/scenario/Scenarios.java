package dev.postrider.bench.scenario;

import dev.postrider.bench.report.ScenarioResult;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The list of all scenarios. */
public final class Scenarios {
  private static final List<Scenario> ALL =
      List.of(
          Scenario.any("throughput", "maximum rate, one endpoint per message", Speed::throughput),
          Scenario.any("fanout10", "maximum rate, ten endpoints per message", Speed::fanOut10),
          Scenario.any("batch", "maximum rate, 100 messages per API request", Speed::batch),
          Scenario.any("steady200", "200 messages/s", Speed::steady200),
          Scenario.any(
              "cold",
              "first accepted message and latency after a start, with and without AOT cache",
              ColdStart::run),
          Scenario.any(
              "tails",
              "latency at 200 messages/s: cold, warm, during checkpoints, on a full store, with"
                  + " hung endpoints",
              TailLatency::run),
          Scenario.any(
              "inbound",
              "maximum rate of signed requests to sources, compared with API calls",
              Inbound::run),
          Scenario.postgres(
              "naive",
              "maximum rate, compared with a simple reference implementation",
              Speed::naive),
          Scenario.any(
              "hung10",
              "10 % of endpoints do not respond, at half of the maximum rate",
              Isolation::hung10),
          Scenario.any(
              "dead500k",
              "a dead endpoint with a backlog, at half of the maximum rate",
              Isolation::dead),
          Scenario.postgres(
              "instances", "1, 2, 4 and 8 instances that share one database", Speed::instances),
          Scenario.any(
              "parked10k",
              "10,000 endpoints with a backlog and an open circuit",
              Isolation::parked),
          Scenario.any(
              "noisy-tenant",
              "latency of other applications at 200 messages/s while one application overloads the"
                  + " server",
              NoisyTenant::run),
          Scenario.any(
              "full1m", "maximum rate with 1,000,000 delivered messages stored", Growth::full),
          Scenario.any(
              "growth",
              "maximum rate with 0, 1 M and (--long) 10 M messages stored, pages of lists, and the"
                  + " removal of a day",
              Growth::growth),
          Scenario.any(
              "retention1m",
              "1,000,000 old messages deleted, at half of the maximum rate",
              Retention::measure),
          Scenario.postgres(
              "open-snapshot",
              "maximum rate while another session keeps a transaction open",
              Growth::openSnapshot),
          Scenario.any("slow5000", "memory with 5,000 slow requests in flight", Memory::slow),
          Scenario.any(
              "waiting20k",
              "memory with 20,000 requests that wait for a response",
              Memory::waiting),
          Scenario.any("pending1m", "memory with 1,000,000 pending deliveries", Memory::pending),
          Scenario.any("startup", "time from start to healthy, and idle memory", Startup::run));

  private Scenarios() {}

  public static List<Scenario> all() {
    return ALL;
  }

  /** Those with the given names; all of them for {@code all}. */
  public static List<Scenario> named(List<String> names) {
    if (names.contains("all")) {
      return ALL;
    }
    List<Scenario> chosen = new ArrayList<>();
    for (String name : names) {
      chosen.add(
          ALL.stream()
              .filter(scenario -> scenario.name().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new BenchFailure(
                          "--scenario: there is no '"
                              + name
                              + "'; choose from "
                              + ALL.stream().map(Scenario::name).toList())));
    }
    return chosen;
  }

  /**
   * Runs one; empty where the database does not fit. A failure is part of the result, so that the
   * others still run.
   */
  public static Optional<ScenarioResult> run(Scenario scenario, Testbed testbed, Storage storage) {
    if (scenario.postgresOnly() && storage != Storage.POSTGRES) {
      return Optional.empty();
    }
    Findings findings = new Findings();
    try {
      scenario.run().run(testbed, storage, findings);
    } catch (BenchFailure | IllegalStateException e) {
      findings.problems(List.of(String.valueOf(e.getMessage())));
    }
    return Optional.of(findings.result(scenario.name(), storage.text(), scenario.title()));
  }
}
