package dev.postrider.bench.scenario;

import dev.postrider.bench.report.ScenarioResult;
import dev.postrider.bench.rig.BenchFailure;
import dev.postrider.bench.rig.Rig;
import dev.postrider.bench.rig.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Every scenario, once. */
public final class Scenarios {
  private static final List<Scenario> ALL =
      List.of(
          Scenario.any("throughput", "fan-out 1, closed loop", Speed::throughput),
          Scenario.any("fanout10", "fan-out 10, closed loop", Speed::fanOut10),
          Scenario.any("batch", "100 messages a request, closed loop", Speed::batch),
          Scenario.any("steady200", "200 messages/s", Speed::steady200),
          Scenario.any(
              "tails", "200/s: cold, warm, checkpoints, 1 M stored, hung endpoints", Tails::run),
          Scenario.any("inbound", "signed requests to sources against the API", Inbound::run),
          Scenario.postgres("naive", "against the naive reference", Speed::naive),
          Scenario.any("hung10", "10 % hung endpoints at half of the maximum", Isolation::hung10),
          Scenario.any(
              "dead500k", "dead endpoint with a backlog at half of the maximum", Isolation::dead),
          Scenario.postgres("two-instances", "two servers on one database", Speed::twoInstances),
          Scenario.any("parked10k", "10,000 parked lanes with a backlog", Isolation::parked),
          Scenario.any(
              "noisy-tenant",
              "other applications at 200/s, quiet and next to one noisy application",
              NoisyTenant::run),
          Scenario.any("full1m", "1,000,000 finished messages stored", Growth::full),
          Scenario.any("growth", "0, 1 M and (--long) 10 M messages stored", Growth::growth),
          Scenario.any(
              "retention1m", "1,000,000 old messages removed under half load", Ageing::retention),
          Scenario.postgres(
              "open-snapshot", "a transaction left open meanwhile", Growth::openSnapshot),
          Scenario.any("slow5000", "5,000 slow requests in flight", Memory::slow),
          Scenario.any("waiting20k", "20,000 requests that wait for an answer", Memory::waiting),
          Scenario.any("pending1m", "1,000,000 pending deliveries", Memory::pending),
          Scenario.any("startup", "time to healthy, idle memory", Startup::run));

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
  public static Optional<ScenarioResult> run(Scenario scenario, Rig rig, Storage storage) {
    if (scenario.postgresOnly() && storage != Storage.POSTGRES) {
      return Optional.empty();
    }
    Findings findings = new Findings();
    try {
      scenario.run().run(rig, storage, findings);
    } catch (BenchFailure | IllegalStateException e) {
      findings.problems(List.of(String.valueOf(e.getMessage())));
    }
    return Optional.of(findings.result(scenario.name(), storage.text(), scenario.title()));
  }
}
