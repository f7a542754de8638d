package dev.postrider.observe;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.EndReason;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.LeaseRef;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.QueueEnd;
import dev.postrider.delivery.StatusChange;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.id.Id;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of the server. They are updated when events happen; numbers that only the database
 * knows are read by {@link OpenDeliveries}.
 */
public final class Metrics implements DeliveryListener {
  /** Numbers of attempts; the last one is for all later ones. */
  private static final String[] NUMBERS = {"1", "2", "3", "4", "5+"};

  /** No status, or one that is not of a class below, is the first. */
  private static final String[] CLASSES = {"none", "2xx", "3xx", "4xx", "5xx"};

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Map<OutcomeClass, Counter> attempts = new EnumMap<>(OutcomeClass.class);
  private final Map<DeliveryStatus, Counter> ends = new EnumMap<>(DeliveryStatus.class);
  private final Timer latency;
  private final Counter opened;
  private final Counter closed;
  private final Counter rescued;
  private final Counter lost;
  private final Counter untransformed;
  private final Counter messages;
  private final Counter expired;

  /** By the number of the attempt, then by the class of the status. */
  private final Counter[][] numbered = new Counter[NUMBERS.length][CLASSES.length];

  private final List<Runnable> beforeScrape = new CopyOnWriteArrayList<>();

  public Metrics() {
    for (OutcomeClass outcome : OutcomeClass.values()) {
      if (outcome != OutcomeClass.VOID) {
        attempts.put(
            outcome,
            counter(
                "postrider.attempts",
                "Delivery attempts by outcome",
                "outcome",
                outcome.name().toLowerCase(Locale.ROOT)));
      }
    }
    for (DeliveryStatus status : DeliveryStatus.values()) {
      ends.put(
          status,
          counter(
              "postrider.deliveries",
              "Deliveries by the status after an attempt",
              "status",
              status.text()));
    }
    latency =
        Timer.builder("postrider.attempt.duration")
            .description("Time from the first byte sent to the complete response")
            .publishPercentileHistogram()
            .minimumExpectedValue(Duration.ofMillis(1))
            .maximumExpectedValue(Duration.ofSeconds(60))
            .register(registry);
    opened = counter("postrider.circuit.opened", "Circuit breakers that opened", "by", "failures");
    closed = counter("postrider.circuit.closed", "Circuit breakers that closed", "by", "success");
    rescued =
        counter(
            "postrider.leases.rescued",
            "Leases taken over from instances that stopped",
            "by",
            "rescuer");
    lost =
        counter(
            "postrider.leases.lost",
            "Attempt results that arrived after their lease had expired",
            "by",
            "fence");
    untransformed =
        Counter.builder("postrider.untransformed")
            .description("Deliveries sent without their transform, because it failed")
            .register(registry);
    expired =
        Counter.builder("postrider.expired")
            .description(
                "Deliveries that were canceled because they did not start within their event TTL")
            .register(registry);
    messages =
        Counter.builder("postrider.messages.accepted")
            .description("Messages that were accepted")
            .register(registry);
    for (int number = 0; number < NUMBERS.length; number++) {
      for (int kind = 0; kind < CLASSES.length; kind++) {
        numbered[number][kind] =
            Counter.builder("postrider.attempts.by.number")
                .description("Delivery attempts by their number and the class of the status")
                .tag("number", NUMBERS[number])
                .tag("class", CLASSES[kind])
                .register(registry);
      }
    }
  }

  private Counter counter(String name, String description, String key, String value) {
    return Counter.builder(name).description(description).tag(key, value).register(registry);
  }

  public <T> void gauge(String name, String description, T subject, ToDoubleFunction<T> value) {
    gauge(name, description, Tags.empty(), subject, value);
  }

  <T> void gauge(String name, String description, Tags tags, T subject, ToDoubleFunction<T> value) {
    Gauge.builder(name, subject, value)
        .description(description)
        .tags(tags)
        .strongReference(true)
        .register(registry);
  }

  /** Like a gauge, for a value that only grows. */
  public <T> void count(String name, String description, T subject, ToDoubleFunction<T> value) {
    FunctionCounter.builder(name, subject, value).description(description).register(registry);
  }

  public MeterRegistry registry() {
    return registry;
  }

  /** Calls this before each scrape. */
  void onScrape(Runnable collector) {
    beforeScrape.add(collector);
  }

  /** The text that Prometheus scrapes. */
  public String scrape() {
    beforeScrape.forEach(Runnable::run);
    return registry.scrape();
  }

  @Override
  public void finished(Outcome outcome, Finish finish) {
    count(ends.get(finish.status()));
    countExpired(finish.reason(), 1);
    Finish.Attempt attempt = finish.attempt();
    if (attempt != null) {
      count(attempts.get(OutcomeClass.ofCode(attempt.outcome())));
      latency.record(attempt.latencyMs(), TimeUnit.MILLISECONDS);
      int number = Math.min(outcome.delivery().failedBefore(), NUMBERS.length - 1);
      numbered[number][statusClass(attempt.statusCode())].increment();
    }
  }

  @Override
  public void accepted(Id applicationId, Id messageId, String eventType, int deliveries) {
    messages.increment();
  }

  @Override
  public void queueEnded(QueueEnd end) {
    countExpired(end.reason(), 1);
  }

  @Override
  public void statusChanged(StatusChange change) {
    countExpired(change.reason(), change.deliveries().size());
  }

  private void countExpired(@Nullable EndReason reason, int deliveries) {
    if (reason == EndReason.EXPIRED) {
      expired.increment(deliveries);
    }
  }

  private static int statusClass(@Nullable Integer status) {
    int first = status == null ? 0 : status / 100;
    return first >= 2 && first <= 5 ? first - 1 : 0;
  }

  private static void count(@Nullable Counter counter) {
    if (counter != null) {
      counter.increment();
    }
  }

  @Override
  public void leaseLost(Outcome outcome) {
    lost.increment();
  }

  @Override
  public void sentUntransformed(Delivery delivery, String error) {
    untransformed.increment();
  }

  @Override
  public void circuitOpened(Id applicationId, Id laneId, long untilMs) {
    opened.increment();
  }

  @Override
  public void circuitClosed(Id applicationId, Id laneId) {
    closed.increment();
  }

  @Override
  public void rescued(LeaseRef lease) {
    rescued.increment();
  }
}
