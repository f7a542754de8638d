package dev.postrider.api.form;

import dev.postrider.delivery.Tally;

/** Writes the counts of deliveries and attempts into a response. */
public final class TallyOut {
  private TallyOut() {}

  public static void write(JsonOut out, Tally tally) {
    out.number("deliveries", tally.accepted())
        .number("delivered", tally.delivered())
        .number("failed", tally.failed())
        .number("deadLetter", tally.deadLetter())
        .number("canceled", tally.canceled())
        .number("attempts", tally.attempts())
        .number("meanLatencyMs", tally.meanLatencyMs())
        .number("p95LatencyMs", tally.p95LatencyMs());
  }
}
