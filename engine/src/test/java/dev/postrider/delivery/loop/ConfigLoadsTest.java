package dev.postrider.delivery.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.field.FieldValues;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.testkit.Signals;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConfigLoadsTest {
  private static final Id APPLICATION = new Id(1, 1);
  private static final Id OTHER_APPLICATION = new Id(1, 2);
  private static final Id UNREADABLE = new Id(2, 666);
  private static final Id MISSING = new Id(2, 404);

  private final Source source = new Source();
  private final ConfigLoads loads = new ConfigLoads(source);

  /** Its first load waits until it is opened. */
  private static final class Source implements EndpointConfigs.Source {
    private final List<List<Id>> batches = new CopyOnWriteArrayList<>();
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    @Override
    public List<EndpointConfig> load(Id applicationId, List<Id> endpointIds) {
      batches.add(endpointIds);
      if (applicationId.equals(APPLICATION) && started.getCount() > 0) {
        started.countDown();
        try {
          open.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      if (endpointIds.contains(UNREADABLE)) {
        throw new IllegalStateException("unreadable");
      }
      return endpointIds.stream()
          .filter(id -> !id.equals(MISSING))
          .map(id -> config(applicationId, id))
          .toList();
    }

    @Override
    public @Nullable String eventTypeRetryPolicy(EndpointConfig config, String eventType) {
      return null;
    }
  }

  private static EndpointConfig config(Id applicationId, Id endpointId) {
    return new EndpointConfig(
        new ApplicationId(applicationId),
        new EndpointId(endpointId),
        "env",
        1,
        FieldValues.NONE.with(EndpointFields.URL, "http://127.0.0.1/"),
        new EndpointConfig.Request("POST", null, null, Map.of()),
        new EndpointConfig.Signing(SignatureScheme.byDefault(), List.of()),
        new EndpointConfig.Shape(false, false),
        new EndpointConfig.RetryPolicies(null, null),
        false,
        false);
  }

  private CompletableFuture<@Nullable EndpointConfig> ask(Id endpointId) {
    CompletableFuture<@Nullable EndpointConfig> answer = new CompletableFuture<>();
    Thread asking =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    answer.complete(loads.load(APPLICATION, endpointId));
                  } catch (RuntimeException e) {
                    answer.completeExceptionally(e);
                  }
                });
    Signals.poll(
        "it waits for the load",
        () -> asking.getState() == Thread.State.WAITING || !asking.isAlive());
    return answer;
  }

  @Test
  void requestsDuringALoadShareTheNextLoad() {
    var first = ask(new Id(2, 1));
    List<CompletableFuture<@Nullable EndpointConfig>> rest = new ArrayList<>();
    for (int n = 2; n < 2 + ConfigLoads.BATCH + 6; n++) {
      rest.add(ask(new Id(2, n)));
    }

    assertThat(loads.load(OTHER_APPLICATION, new Id(3, 1)))
        .as("another application does not wait")
        .isNotNull();
    source.open.countDown();

    assertThat(first.join()).isNotNull();
    for (int n = 0; n < rest.size(); n++) {
      EndpointConfig config = rest.get(n).join();
      assertThat(config).isNotNull();
      assertThat(config.endpointId().value()).isEqualTo(new Id(2, n + 2));
    }
    assertThat(source.batches).extracting(List::size).containsExactly(1, 1, ConfigLoads.BATCH, 6);
  }

  @Test
  void anUnreadableOrMissingEndpointFailsAlone() {
    var first = ask(new Id(2, 1));
    var unreadable = ask(UNREADABLE);
    var missing = ask(MISSING);
    var good = ask(new Id(2, 2));
    source.open.countDown();

    assertThat(first.join()).isNotNull();
    assertThatThrownBy(unreadable::join).hasMessageContaining("unreadable");
    assertThat(missing.join()).isNull();
    assertThat(good.join()).isNotNull();
  }

  @Test
  void theNextCallerLoadsAgain() {
    source.open.countDown();

    assertThat(loads.load(APPLICATION, new Id(2, 1))).isNotNull();
    assertThat(loads.load(APPLICATION, new Id(2, 1))).isNotNull();

    assertThat(source.batches).hasSize(2);
  }
}
