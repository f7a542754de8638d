package dev.postrider.bench.scenario;

import dev.postrider.bench.report.ScenarioResult;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares two servers under the same load in turns (A, B, A, B), because identical runs vary by 15
 * to 20 % within an hour.
 */
public final class Variants {
  /** Differences below this prove nothing on a machine that is shared. */
  private static final double DRIFT = 0.20;

  private Variants() {}

  public static ScenarioResult run(
      Testbed testbed, Storage storage, String workloadName, Map<String, String> variants) {
    Workload workload =
        Workload.ALL.stream()
            .filter(candidate -> candidate.name().equals(workloadName))
            .findFirst()
            .orElseThrow(
                () ->
                    new BenchFailure(
                        "--variant compares "
                            + Workload.ALL.stream().map(Workload::name).toList()
                            + ", not "
                            + workloadName));
    Findings findings = new Findings();
    Map<String, List<Window>> windows = new LinkedHashMap<>();
    for (int round = 1; round <= testbed.options().rounds(); round++) {
      for (Map.Entry<String, String> variant : variants.entrySet()) {
        ServerSpec spec = Speed.server(testbed).with(variant.getValue());
        Workload named =
            new Workload(
                variant.getKey() + round + " " + workload.name(),
                workload.fanOut(),
                workload.batch(),
                workload.rate());
        windows
            .computeIfAbsent(variant.getKey(), _ -> new ArrayList<>())
            .add(named.measure(testbed, storage, spec, 1, findings));
      }
    }
    compare(windows, findings);
    variants.forEach(
        (name, text) -> findings.note(name + ": " + (text.isBlank() ? "as it is" : text)));
    return findings.result(
        workload.name() + " A/B",
        storage.text(),
        "variants, interleaved, " + testbed.options().rounds() + " rounds");
  }

  private static void compare(Map<String, List<Window>> windows, Findings findings) {
    windows.forEach(
        (name, list) -> {
          findings.figure(name + ": delivered, median", median(list), "deliveries/s");
          findings.figure(name + ": server CPU", cpu(list, "server"), "µs per delivery");
          findings.figure(name + ": PostgreSQL CPU", cpu(list, "postgres"), "µs per delivery");
        });
    List<Map.Entry<String, List<Window>>> entries = List.copyOf(windows.entrySet());
    String first = entries.getFirst().getKey();
    double base = median(entries.getFirst().getValue());
    for (Map.Entry<String, List<Window>> other : entries.subList(1, entries.size())) {
      double ratio = median(other.getValue()) / base;
      findings.figure(other.getKey() + " / " + first, ratio, "ratio");
      if (Math.abs(ratio - 1) < DRIFT) {
        findings.note(
            "%s / %s differs by less than the usual variation of %.0f %%: compare the CPU per delivery, or use more --rounds"
                .formatted(other.getKey(), first, DRIFT * 100));
      }
    }
  }

  private static double median(List<Window> windows) {
    double[] rates = windows.stream().mapToDouble(Window::deliveredPerSecond).sorted().toArray();
    int middle = rates.length / 2;
    return rates.length % 2 == 1 ? rates[middle] : (rates[middle - 1] + rates[middle]) / 2;
  }

  private static double cpu(List<Window> windows, String process) {
    return windows.stream().mapToDouble(window -> window.cpuMicros(process)).average().orElse(0);
  }
}
