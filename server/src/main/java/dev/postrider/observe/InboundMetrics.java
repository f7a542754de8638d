package dev.postrider.observe;

import dev.postrider.id.Id;
import dev.postrider.inbound.InboundListener;
import dev.postrider.inbound.RejectedRequest;
import dev.postrider.inbound.source.Source;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts requests to sources. Labels are reasons, of which there are few, not names. */
public final class InboundMetrics implements InboundListener {
  private final MeterRegistry registry;
  private final Counter accepted;
  private final Counter repeated;

  public InboundMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.accepted = accepted("false");
    this.repeated = accepted("true");
  }

  private Counter accepted(String repeat) {
    return Counter.builder("postrider.inbound.accepted")
        .description("Requests to sources that were accepted")
        .tag("repeat", repeat)
        .register(registry);
  }

  @Override
  public void accepted(Source source, Id messageId, boolean repeat) {
    (repeat ? repeated : accepted).increment();
  }

  @Override
  public void rejected(RejectedRequest rejected) {
    refused(rejected.reason());
  }

  @Override
  public void turnedAway(String reason) {
    refused(reason);
  }

  private void refused(String reason) {
    Counter.builder("postrider.inbound.rejected")
        .description("Requests to sources that were rejected")
        .tag("reason", reason)
        .register(registry)
        .increment();
  }
}
