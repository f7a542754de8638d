package dev.postrider.observe;

import dev.postrider.inbound.InboundEvent;
import dev.postrider.inbound.RejectedRequest;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Counts requests to sources, by result and, up to a number of sources, by source. */
public final class InboundMetrics {
  /** What happened to a request that reached a source. */
  private enum Result {
    ACCEPTED,
    REPEATED,
    UNVERIFIED,
    REJECTED
  }

  /** The series of one source and result. */
  private record Series(String source, Result result) {}

  private final MeterRegistry registry;
  private final BoundedLabels labels;
  private final Counter accepted;
  private final Counter repeated;
  private final Map<Series, Counter> bySource = new ConcurrentHashMap<>();
  private final Function<Series, Counter> register = this::register;

  /**
   * @param maxLabels how many sources have series of their own
   */
  public InboundMetrics(MeterRegistry registry, int maxLabels) {
    this.registry = registry;
    this.labels = new BoundedLabels(maxLabels);
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
      case InboundEvent.Accepted(String source, boolean repeat) -> {
        (repeat ? repeated : accepted).increment();
        count(source, repeat ? Result.REPEATED : Result.ACCEPTED);
      }
      case InboundEvent.Rejected(RejectedRequest request) -> {
        rejected(request.refusal().reason());
        count(request.source(), request.unverified() ? Result.UNVERIFIED : Result.REJECTED);
      }
      case InboundEvent.Unrecorded(String reason) -> rejected(reason);
    }
  }

  private void count(String source, Result result) {
    Counter known = bySource.get(new Series(source, result));
    if (known == null) {
      String label = labels.of(List.of(source)).getFirst();
      known = bySource.computeIfAbsent(new Series(label, result), register);
    }
    known.increment();
  }

  private Counter register(Series series) {
    return Counter.builder("postrider.source.requests")
        .description("Requests to a source by result")
        .tag("source", series.source())
        .tag("result", series.result().name().toLowerCase(Locale.ROOT))
        .register(registry);
  }

  private void rejected(String reason) {
    Counter.builder("postrider.inbound.rejected")
        .description("Requests to sources that were rejected")
        .tag("reason", reason)
        .register(registry)
        .increment();
  }
}
