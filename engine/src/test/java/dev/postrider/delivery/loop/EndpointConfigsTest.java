package dev.postrider.delivery.loop;

import static dev.postrider.testkit.builder.LeaseBuilder.aLease;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.field.FieldValues;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.Signals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class EndpointConfigsTest {
  private final AtomicInteger asked = new AtomicInteger();

  private EndpointConfigs configs(Supplier<@Nullable String> eventType) {
    EndpointConfigs.Source source =
        new EndpointConfigs.Source() {
          @Override
          public List<EndpointConfig> load(Id applicationId, List<Id> endpointIds) {
            return List.of();
          }

          @Override
          public @Nullable String eventTypeRetryPolicy(EndpointConfig config, String type) {
            asked.incrementAndGet();
            return eventType.get();
          }
        };
    return new EndpointConfigs(
        source, new TargetRules(false, List.of()), RetryPolicy.parse("9s"), new ManualTime());
  }

  private static EndpointConfig config(@Nullable String endpoint, @Nullable String application) {
    return config(Id.ZERO, endpoint, application);
  }

  private static EndpointConfig config(
      Id endpointId, @Nullable String endpoint, @Nullable String application) {
    return new EndpointConfig(
        new ApplicationId(Id.ZERO),
        new EndpointId(endpointId),
        "env",
        1,
        FieldValues.NONE
            .with(EndpointFields.URL, "http://127.0.0.1/")
            .with(EndpointFields.RETRY_POLICY, endpoint),
        new EndpointConfig.Request("POST", null, null, Map.of()),
        new EndpointConfig.Signing(SignatureScheme.byDefault(), List.of()),
        new EndpointConfig.Shape(false, false),
        new EndpointConfig.RetryPolicies(application, "4s"),
        false,
        false);
  }

  @Test
  void theNearestRetryPolicyWins() {
    assertThat(configs(() -> "2s").policy(config("1s", "3s"), "a").text()).isEqualTo("1s");
    assertThat(asked).as("no look-up when the endpoint has its own").hasValue(0);
    assertThat(configs(() -> "2s").policy(config(null, "3s"), "a").text()).isEqualTo("2s");
    assertThat(configs(() -> null).policy(config(null, "3s"), "a").text()).isEqualTo("3s");
    assertThat(configs(() -> null).policy(config(null, null), "a").text()).isEqualTo("4s");
    assertThat(configs(() -> null).policy(config("no schedule", null), "a").text())
        .as("a broken one falls through")
        .isEqualTo("4s");
  }

  /** The outcome of a try that was made must not be lost because a look-up after it failed. */
  @Test
  void withoutTheDatabaseTheNextPolicyServes() {
    EndpointConfigs configs =
        configs(
            () -> {
              throw new DatabaseUnavailable("cut");
            });

    assertThat(configs.policy(config(null, "3s"), "a").text()).isEqualTo("3s");
  }

  private static Delivery delivery(int version) {
    return aLease().application(Id.ZERO).endpointVersion(version).build();
  }

  /** Answers loads only when the test says so. */
  private static final class HeldSource implements EndpointConfigs.Source {
    final AtomicInteger loads = new AtomicInteger();
    volatile CountDownLatch open = new CountDownLatch(1);
    volatile @Nullable RuntimeException failure;
    volatile boolean deleted;

    void hold() {
      open = new CountDownLatch(1);
    }

    void open() {
      open.countDown();
    }

    @Override
    public List<EndpointConfig> load(Id applicationId, List<Id> endpointIds) {
      loads.incrementAndGet();
      try {
        open.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      RuntimeException thrown = failure;
      if (thrown != null) {
        throw thrown;
      }
      return deleted ? List.of() : endpointIds.stream().map(id -> config(id, null, null)).toList();
    }

    @Override
    public @Nullable String eventTypeRetryPolicy(EndpointConfig config, String type) {
      return null;
    }
  }

  private final HeldSource held = new HeldSource();
  private final ManualTime time = new ManualTime();
  private final EndpointConfigs shared =
      new EndpointConfigs(held, new TargetRules(false, List.of()), RetryPolicy.DEFAULT, time);

  private List<CompletableFuture<EndpointConfigs.@Nullable Ready>> askAtOnce(int tries) {
    List<CompletableFuture<EndpointConfigs.@Nullable Ready>> answers = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < tries; i++) {
      CompletableFuture<EndpointConfigs.@Nullable Ready> answer = new CompletableFuture<>();
      answers.add(answer);
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      answer.complete(shared.of(delivery(1)));
                    } catch (RuntimeException e) {
                      answer.completeExceptionally(e);
                    }
                  }));
    }
    Signals.poll(
        "all wait for one load",
        () -> threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
    return answers;
  }

  @Test
  @Timeout(120)
  void attemptsThatBeginTogetherShareOneLoad() {
    var answers = askAtOnce(20);
    held.open();

    assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isNotNull());
    assertThat(held.loads).hasValue(1);
  }

  @Test
  @Timeout(120)
  void theyShareItsFailureAndTheNextLoadsAgain() {
    var answers = askAtOnce(20);
    held.failure = new DatabaseUnavailable("cut");
    held.open();

    assertThat(answers)
        .allSatisfy(
            answer ->
                assertThatThrownBy(answer::join).hasCauseInstanceOf(DatabaseUnavailable.class));
    held.failure = null;
    assertThat(shared.of(delivery(1))).isNotNull();
    assertThat(held.loads).hasValue(2);
  }

  @Test
  @Timeout(120)
  void anOldEntryIsReloadedInTheBackground() {
    EndpointConfigs.Ready first = loaded();
    time.advance(Duration.ofNanos(EndpointConfigs.REFRESH_NANOS).plusSeconds(1));
    held.hold();

    assertThat(shared.of(delivery(1))).isSameAs(first);
    assertThat(shared.of(delivery(1))).as("one reload is enough").isSameAs(first);
    held.open();
    Signals.poll("the new entry is used", () -> shared.of(delivery(1)) != first);
    assertThat(held.loads).hasValue(2);
  }

  @Test
  @Timeout(120)
  void anOldEntryIsUsedWhileTheDatabaseIsUnavailableUntilItIsTooOld() {
    EndpointConfigs.Ready first = loaded();
    time.advance(Duration.ofNanos(EndpointConfigs.REFRESH_NANOS).plusSeconds(1));
    held.failure = new DatabaseUnavailable("cut");

    assertThat(shared.of(delivery(1))).isSameAs(first);
    Signals.poll("the reload failed, and another one began", () -> retried(first));

    time.advance(Duration.ofNanos(EndpointConfigs.MAX_AGE_NANOS));
    assertThatThrownBy(() -> shared.of(delivery(1))).isInstanceOf(DatabaseUnavailable.class);
    held.failure = null;
    assertThat(shared.of(delivery(1))).isNotSameAs(first);
  }

  private boolean retried(EndpointConfigs.Ready first) {
    assertThat(shared.of(delivery(1))).isSameAs(first);
    return held.loads.get() > 2;
  }

  @Test
  @Timeout(120)
  void theEntryOfADeletedEndpointIsDroppedByItsReload() {
    loaded();
    time.advance(Duration.ofNanos(EndpointConfigs.REFRESH_NANOS).plusSeconds(1));
    held.deleted = true;

    Signals.poll("the endpoint is deleted", () -> shared.of(delivery(1)) == null);
  }

  private EndpointConfigs.Ready loaded() {
    held.open();
    return Objects.requireNonNull(shared.of(delivery(1)));
  }

  @Test
  void aLeaseOfANewerVersionIsNotServedFromTheOldEntry() {
    held.open();
    shared.of(delivery(1));
    shared.of(delivery(2));

    assertThat(held.loads).hasValue(2);
  }
}
