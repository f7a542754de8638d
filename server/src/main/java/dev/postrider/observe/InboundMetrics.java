package dev.postrider.observe;

import dev.postrider.inbound.InboundEvent;
import dev.postrider.inbound.RejectedRequest;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts requests to sources. Labels are reasons, of which there are few, not names. */
public final class InboundMetrics {
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

  public void count(InboundEvent event) {
    switch (event) {
      case InboundEvent.Accepted(boolean repeat) -> (repeat ? repeated : accepted).increment();
      case InboundEvent.Rejected(RejectedRequest request) -> rejected(request.refusal().reason());
      case InboundEvent.Unrecorded(String reason) -> rejected(reason);
    }
  }

  private void rejected(String reason) {
    Counter.builder("postrider.inbound.rejected")
        .description("Requests to sources that were rejected")
        .tag("reason", reason)
        .register(registry)
        .increment();
  }
}
