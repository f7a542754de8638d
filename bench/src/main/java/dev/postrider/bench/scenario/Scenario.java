package dev.postrider.bench.scenario;

import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;

/** A named scenario of the benchmark. */
public record Scenario(String name, String title, boolean postgresOnly, Run run) {
  /** Does it and writes down what was found. */
  @FunctionalInterface
  public interface Run {
    void run(Testbed testbed, Storage storage, Findings findings);
  }

  static Scenario any(String name, String title, Run run) {
    return new Scenario(name, title, false, run);
  }

  static Scenario postgres(String name, String title, Run run) {
    return new Scenario(name, title, true, run);
  }
}
