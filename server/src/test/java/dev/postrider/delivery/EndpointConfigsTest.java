package dev.postrider.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.http.TargetRules;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.id.Id;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.storage.DatabaseAway;
import dev.postrider.testkit.ManualTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EndpointConfigsTest {
  private final AtomicInteger asked = new AtomicInteger();

  private EndpointConfigs configs(Supplier<@Nullable String> eventType) {
    EndpointConfigs.Source source =
        new EndpointConfigs.Source() {
          @Override
          public @Nullable EndpointConfig load(Id applicationId, Id endpointId) {
            return null;
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
    return new EndpointConfig(
        Id.ZERO,
        Id.ZERO,
        "env",
        1,
        "http://127.0.0.1/",
        "POST",
        null,
        null,
        null,
        Map.of(),
        List.of(),
        SignatureScheme.byDefault(),
        new EndpointConfig.RetryPolicies(endpoint, application, "4s"),
        false,
        null,
        null,
        false,
        true,
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
              throw new DatabaseAway("cut");
            });

    assertThat(configs.policy(config(null, "3s"), "a").text()).isEqualTo("3s");
  }
}
