package dev.postrider.endpoint;

import static dev.postrider.endpoint.EndpointFields.CHANNELS;
import static dev.postrider.endpoint.EndpointFields.DESCRIPTION;
import static dev.postrider.endpoint.EndpointFields.DISABLED;
import static dev.postrider.endpoint.EndpointFields.FORWARD_HEADERS;
import static dev.postrider.endpoint.EndpointFields.INITIAL_DELAY_MS;
import static dev.postrider.endpoint.EndpointFields.MAX_IN_FLIGHT;
import static dev.postrider.endpoint.EndpointFields.METADATA;
import static dev.postrider.endpoint.EndpointFields.ORDERED;
import static dev.postrider.endpoint.EndpointFields.PAUSED;
import static dev.postrider.endpoint.EndpointFields.PAUSE_ON_DEAD_LETTER;
import static dev.postrider.endpoint.EndpointFields.RETRY_POLICY;
import static dev.postrider.endpoint.EndpointFields.SIGNATURE_SCHEME;
import static dev.postrider.endpoint.EndpointFields.SUBSCRIPTIONS;
import static dev.postrider.endpoint.EndpointFields.THROTTLE_RATE;
import static dev.postrider.endpoint.EndpointFields.TIMEOUT_MS;
import static dev.postrider.endpoint.EndpointFields.UID;
import static dev.postrider.endpoint.EndpointFields.URL;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.store.LaneStore;
import dev.postrider.endpoint.EndpointChanged.Change;
import dev.postrider.endpoint.EndpointStore.NewEndpoint;
import dev.postrider.id.Id;
import dev.postrider.signature.HmacKey;
import dev.postrider.signature.SigningKey;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSettings;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.Grant;
import dev.postrider.tenant.LimitReached;
import dev.postrider.tenant.TooManySecrets;
import dev.postrider.tenant.UidTaken;
import dev.postrider.tenant.UpsertResult;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.FieldSamples;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.OnEachDatabase;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Endpoints, their secrets and what routing reads of them, on both databases. */
@OnEachDatabase
final class EndpointTest {
  private static final String ENV = Environment.DEFAULT_ID;

  @TempDir Path folder;

  private final ManualTime time = new ManualTime();
  private Database database;
  private Fixture fixture;
  private Application application;

  @Parameter Databases.Kind kind;

  @BeforeEach
  void open() {
    database = kind.open(folder);
    fixture = new Fixture(database, time);
    application = fixture.application("acme");
  }

  @AfterEach
  void close() {
    database.close();
  }

  private static EndpointSpec spec() {
    return EndpointSpec.of("https://example.com/hook");
  }

  private int routingVersion() {
    return requireNonNull(fixture.applications.find(ENV, "acme")).routingVersion();
  }

  @Test
  void everyDeclaredFieldIsStored() {
    EndpointSpec full = new EndpointSpec(FieldSamples.of(EndpointFields.ALL));
    Endpoint created = fixture.endpoint(application, full);
    assertThat(created.spec()).isEqualTo(full);
    String id = created.id().text();
    assertThat(requireNonNull(fixture.endpoints.update(application.id(), id, _ -> spec())).spec())
        .isEqualTo(spec());
    assertThat(requireNonNull(fixture.endpoints.update(application.id(), id, _ -> full)).spec())
        .isEqualTo(full);
  }

  @Test
  void everyFieldComesBack() {
    EndpointSpec full =
        spec()
            .with(UID, "main")
            .with(DESCRIPTION, "the main one")
            .with(METADATA, "{\"k\":\"v\"}")
            .with(SUBSCRIPTIONS, List.of("user.*", "invoice.paid", "invoice.paid"))
            .with(CHANNELS, List.of("b", "a"))
            .with(DISABLED, true)
            .with(PAUSED, true)
            .with(ORDERED, true)
            .with(PAUSE_ON_DEAD_LETTER, true)
            .with(THROTTLE_RATE, 5)
            .with(TIMEOUT_MS, 2000)
            .with(MAX_IN_FLIGHT, 3)
            .with(INITIAL_DELAY_MS, 10)
            .with(FORWARD_HEADERS, List.of("X-Kind", "CE-*"))
            .with(SIGNATURE_SCHEME, "{\"type\":\"none\"}")
            .with(RETRY_POLICY, "5s,1m");
    Endpoint created = fixture.endpoint(application, full);
    assertThat(created.spec()).isEqualTo(full);
    assertThat(created.spec().get(SUBSCRIPTIONS)).containsExactly("invoice.paid", "user.*");
    assertThat(created.disabledReason()).isEqualTo("user");
    assertThat(fixture.endpoints.find(application.id(), "main")).isEqualTo(created);
    assertThat(fixture.endpoints.find(application.id(), created.id().text())).isEqualTo(created);
    assertThat(fixture.endpoints.find(fixture.application("other").id(), created.id().text()))
        .isNull();
    assertThat(fixture.endpoints.list(application.id(), Keyset.first(10, true)).items())
        .containsExactly(created);
  }

  @Test
  void theLaneIsMadeWithTheEndpoint() {
    Endpoint endpoint =
        fixture.endpoint(application, spec().with(PAUSED, true).with(ORDERED, true));
    assertThat(lane(endpoint)).isEqualTo("true true");
    fixture.endpoints.update(application.id(), endpoint.id().text(), s -> s.with(PAUSED, false));
    assertThat(lane(endpoint)).isEqualTo("false true");
  }

  private String lane(Endpoint endpoint) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT paused, ordered FROM lanes WHERE id = :id AND application_id ="
                        + " :application")
                .bind("id", endpoint.id())
                .bind("application", application.id())
                .map((row, _) -> row.getBoolean("paused") + " " + row.getBoolean("ordered"))
                .one());
  }

  @Test
  void everyChangeBumpsBothVersionsAndNotifies() {
    Endpoint endpoint = fixture.endpoint(application, spec().with(UID, "main"));
    List<Runnable> changes =
        List.of(
            () ->
                fixture.endpoints.update(
                    application.id(), "main", s -> s.with(CHANNELS, List.of("a"))),
            () -> fixture.endpoints.update(application.id(), "main", s -> s.with(PAUSED, true)),
            () -> fixture.endpoints.update(application.id(), "main", s -> s.with(PAUSED, false)),
            () -> fixture.endpoints.update(application.id(), "main", s -> s.with(DISABLED, true)),
            () -> fixture.endpoints.update(application.id(), "main", s -> s.with(DISABLED, false)),
            () -> fixture.endpoints.disable(database, application.id(), endpoint.id(), "gone"),
            () ->
                fixture.secrets.rotate(
                    application, endpoint, HmacKey.generate(fixture.random), Duration.ZERO),
            () -> fixture.secrets.putHeaders(application, endpoint, Map.of("X-A", "1")));
    for (Runnable change : changes) {
      int routing = routingVersion();
      int version = requireNonNull(fixture.endpoints.find(application.id(), "main")).version();
      change.run();
      assertThat(routingVersion()).isGreaterThan(routing);
      assertThat(requireNonNull(fixture.endpoints.find(application.id(), "main")).version())
          .isGreaterThan(version);
    }
    int routing = routingVersion();
    fixture.endpoints.delete(application.id(), "main");
    assertThat(routingVersion()).isGreaterThan(routing);
    assertThat(fixture.changes(endpoint.id().value()))
        .containsExactly(
            Change.CREATED,
            Change.UPDATED,
            Change.PAUSED,
            Change.RESUMED,
            Change.DISABLED,
            Change.ENABLED,
            Change.DISABLED,
            Change.SECRET_ROTATED,
            Change.UPDATED,
            Change.DELETED);
  }

  @Test
  void theEngineDisablesOnceWithItsReason() {
    Endpoint endpoint = fixture.endpoint(application, spec().with(UID, "main"));
    assertThat(fixture.endpoints.disable(database, application.id(), endpoint.id(), "gone"))
        .isTrue();
    assertThat(fixture.endpoints.disable(database, application.id(), endpoint.id(), "failing"))
        .isFalse();
    Endpoint disabled = requireNonNull(fixture.endpoints.find(application.id(), "main"));
    assertThat(disabled.disabledReason()).isEqualTo("gone");
    assertThat(disabled.disabledAt()).isEqualTo(Instant.ofEpochMilli(time.nowMs()));
    Endpoint enabled =
        requireNonNull(
            fixture.endpoints.update(application.id(), "main", s -> s.with(DISABLED, false)));
    assertThat(enabled.disabledReason()).isNull();
    assertThat(enabled.disabledAt()).isNull();
  }

  @Test
  void deletingHidesAtOnceAndFreesTheUid() {
    Endpoint endpoint = fixture.endpoint(application, spec().with(UID, "main"));
    assertThat(fixture.endpoints.delete(application.id(), "main")).isTrue();
    assertThat(fixture.endpoints.delete(application.id(), "main")).isFalse();
    assertThat(fixture.endpoints.find(application.id(), endpoint.id().text())).isNull();
    assertThat(fixture.endpoints.list(application.id(), Keyset.first(10, true)).items()).isEmpty();
    assertThat(requireNonNull(fixture.routing.load(ENV, "acme")).targets()).isEmpty();
    assertThat(
            requireNonNull(
                    fixture.routing.loadConfig(application.id().value(), endpoint.id().value()))
                .deleted())
        .isTrue();
    assertThat(fixture.endpoint(application, spec().with(UID, "main")).id())
        .isNotEqualTo(endpoint.id());
  }

  @Test
  void aTakenUidIsRefused() {
    fixture.endpoint(application, spec().with(UID, "a"));
    fixture.endpoint(application, spec().with(UID, "b"));
    assertThatThrownBy(() -> fixture.endpoint(application, spec().with(UID, "a")))
        .isInstanceOf(UidTaken.class);
    assertThatThrownBy(() -> fixture.endpoints.update(application.id(), "b", s -> s.with(UID, "a")))
        .isInstanceOf(UidTaken.class);
    assertThat(fixture.endpoint(fixture.application("other"), spec().with(UID, "a"))).isNotNull();
  }

  @Test
  void concurrentCreatesNeverExceedTheLimit() throws Exception {
    limit(3);
    Endpoint off = fixture.endpoint(application, spec().with(UID, "off").with(DISABLED, true));
    List<Callable<Object>> calls = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      calls.add(() -> fixture.endpoint(application, spec()));
    }
    calls.add(
        () ->
            requireNonNull(
                fixture.endpoints.update(application.id(), "off", s -> s.with(DISABLED, false))));
    int made = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Object> done : threads.invokeAll(calls)) {
        made += succeeded(done) ? 1 : 0;
      }
    }
    assertThat(made).isEqualTo(3);
    assertThat(fixture.endpoints.list(application.id(), Keyset.first(50, true)).items())
        .filteredOn(endpoint -> !endpoint.spec().get(DISABLED))
        .hasSize(3);
    assertThat(off.spec().get(DISABLED)).isTrue();
  }

  private void limit(int endpoints) {
    fixture.applications.update(
        ENV,
        "acme",
        s ->
            new ApplicationSpec(
                s.uid(), s.name(), "{}", null, true, new ApplicationSettings(null, endpoints)));
  }

  private static boolean succeeded(Future<Object> done) throws InterruptedException {
    try {
      done.get();
      return true;
    } catch (ExecutionException e) {
      assertThat(e.getCause()).isInstanceOf(LimitReached.class);
      return false;
    }
  }

  @Test
  void anUpsertCreatesThenChanges() {
    NewEndpoint fresh =
        new NewEndpoint(spec().with(UID, "main"), HmacKey.generate(fixture.random), Map.of());
    UpsertResult<Endpoint> first =
        requireNonNull(fixture.endpoints.upsert(application, "main", fresh, s -> s));
    UpsertResult<Endpoint> second =
        requireNonNull(
            fixture.endpoints.upsert(application, "main", fresh, s -> s.with(DESCRIPTION, "two")));
    assertThat(first.created()).isTrue();
    assertThat(second.created()).isFalse();
    assertThat(second.value().id()).isEqualTo(first.value().id());
    assertThat(second.value().spec().get(DESCRIPTION)).isEqualTo("two");
    assertThat(
            fixture.endpoints.upsert(application, "ep_000000000000000000000000000", fresh, s -> s))
        .isNull();
    assertThat(fixture.changes(first.value().id().value()))
        .containsExactly(Change.CREATED, Change.UPDATED);
  }

  @Test
  void noEndpointIsCreatedInADeletedApplication() {
    fixture.applications.delete(ENV, "acme");
    assertThat(
            fixture.endpoints.create(
                application, new NewEndpoint(spec(), HmacKey.generate(fixture.random), Map.of())))
        .isNull();
  }

  @Test
  void oldKeysSignUntilTheirOverlapEnds() {
    Endpoint endpoint = fixture.endpoint(application, spec());
    SigningKey first = requireNonNull(fixture.secrets.current(application, endpoint));
    SigningKey second = HmacKey.generate(fixture.random);
    SigningKey third = HmacKey.generate(fixture.random);
    fixture.secrets.rotate(application, endpoint, second, Duration.ofHours(24));
    time.advance(Duration.ofHours(1));
    fixture.secrets.rotate(application, endpoint, third, Duration.ofHours(24));
    assertThat(fixture.secrets.current(application, endpoint)).isEqualTo(third);
    assertThat(keys(endpoint)).containsExactly(third, second, first);
    time.advance(Duration.ofHours(23));
    assertThat(keys(endpoint)).containsExactly(third, second);
    time.advance(Duration.ofHours(1));
    assertThat(keys(endpoint)).containsExactly(third);
  }

  private List<SigningKey> keys(Endpoint endpoint) {
    return requireNonNull(
            fixture.routing.loadConfig(application.id().value(), endpoint.id().value()))
        .signing()
        .keys();
  }

  @Test
  void noOldKeyEndsBeforeItsTime() {
    Endpoint endpoint = fixture.endpoint(application, spec());
    for (int i = 0; i < EndpointSecrets.MAX_OLD_KEYS; i++) {
      rotate(endpoint, Duration.ofDays(7));
    }
    List<SigningKey> live = keys(endpoint);
    assertThat(live).hasSize(1 + EndpointSecrets.MAX_OLD_KEYS);
    assertThatThrownBy(() -> rotate(endpoint, Duration.ofDays(7)))
        .isInstanceOf(TooManySecrets.class);
    assertThat(keys(endpoint)).isEqualTo(live);
    rotate(endpoint, Duration.ZERO);
    assertThat(keys(endpoint)).hasSize(1 + EndpointSecrets.MAX_OLD_KEYS);
    time.advance(Duration.ofDays(7));
    rotate(endpoint, Duration.ofDays(7));
    assertThat(keys(endpoint)).hasSize(2);
  }

  private void rotate(Endpoint endpoint, Duration overlap) {
    fixture.secrets.rotate(application, endpoint, HmacKey.generate(fixture.random), overlap);
  }

  @Test
  void secretsAreNotReadableInTheTables() {
    SigningKey key = HmacKey.generate(fixture.random);
    Endpoint endpoint =
        requireNonNull(
            fixture.endpoints.create(
                application,
                new NewEndpoint(spec(), key, Map.of("Authorization", "Bearer hush-hush"))));
    List<byte[]> stored =
        database.read(
            handle ->
                handle
                    .createQuery(
                        "SELECT headers FROM endpoints UNION ALL SELECT sealed FROM"
                            + " signing_secrets")
                    .mapTo(byte[].class)
                    .list());
    assertThat(stored).hasSize(2);
    for (byte[] bytes : stored) {
      assertThat(new String(bytes, StandardCharsets.ISO_8859_1))
          .doesNotContain("hush-hush")
          .doesNotContain(new String(key.encode(), StandardCharsets.ISO_8859_1));
    }
    EndpointConfig config =
        requireNonNull(fixture.routing.loadConfig(application.id().value(), endpoint.id().value()));
    assertThat(config.request().headers())
        .containsExactly(Map.entry("Authorization", "Bearer hush-hush"));
    assertThat(config.signing().keys()).containsExactly(key);
    assertThat(config.toString()).doesNotContain("hush");
  }

  @Test
  void headersArePutAndPatched() {
    Endpoint endpoint = fixture.endpoint(application, spec());
    assertThat(fixture.secrets.headers(application, endpoint)).isEmpty();
    fixture.secrets.putHeaders(application, endpoint, Map.of("X-One", "1", "X-Two", "2"));
    fixture.secrets.patchHeaders(
        application,
        endpoint,
        Map.of(
            "x-one", Optional.of("uno"), "X-TWO", Optional.empty(), "X-Three", Optional.of("3")));
    assertThat(fixture.secrets.headers(application, endpoint))
        .containsExactlyInAnyOrderEntriesOf(Map.of("x-one", "uno", "X-Three", "3"));
    fixture.secrets.putHeaders(application, endpoint, Map.of());
    assertThat(fixture.secrets.headers(application, endpoint)).isEmpty();
  }

  @Test
  void concurrentPatchesOfHeadersAreAllKept() throws Exception {
    Endpoint endpoint = fixture.endpoint(application, spec());
    List<Callable<Boolean>> calls = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      String name = "X-" + i;
      calls.add(
          () ->
              fixture.secrets.patchHeaders(application, endpoint, Map.of(name, Optional.of("v"))));
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Boolean> done : threads.invokeAll(calls)) {
        assertThat(done.get()).isTrue();
      }
    }
    assertThat(fixture.secrets.headers(application, endpoint)).hasSize(6);
  }

  @Test
  void routingHoldsWhatTheHotPathNeeds() {
    Endpoint all = fixture.endpoint(application, spec());
    Endpoint some =
        fixture.endpoint(
            application,
            spec()
                .with(SUBSCRIPTIONS, List.of("user.*"))
                .with(CHANNELS, List.of("eu"))
                .with(THROTTLE_RATE, 4)
                .with(MAX_IN_FLIGHT, 2)
                .with(ORDERED, true));
    Endpoint off = fixture.endpoint(application, spec().with(DISABLED, true));
    Routing routing = requireNonNull(fixture.routing.load(ENV, "acme"));
    assertThat(routing.applicationId()).isEqualTo(application.id().value());
    assertThat(routing.version()).isEqualTo(routingVersion());
    assertThat(requireNonNull(fixture.routing.load(ENV, application.id().text())).applicationId())
        .isEqualTo(application.id().value());
    assertThat(routing.targets())
        .extracting(RouteTarget::endpointId)
        .containsExactly(all.id().value(), some.id().value(), off.id().value());
    assertThat(takers(routing, "user.created", List.of("eu")))
        .containsExactly(all.id().value(), some.id().value());
    assertThat(takers(routing, "user.created", List.of())).containsExactly(all.id().value());
    assertThat(takers(routing, "userx.created", List.of("eu"))).containsExactly(all.id().value());
    RouteTarget target = routing.targets().get(1);
    assertThat(target.lane().ordered()).isTrue();
    assertThat(target.throttleRate()).isEqualTo(4);
    assertThat(target.maxInFlight()).isEqualTo(2);
    assertThat(target.lane().circuit()).isZero();
    assertThat(fixture.routing.load(ENV, "nobody")).isNull();
    assertThat(fixture.routing.load("env_other", "acme")).isNull();
  }

  private static List<Id> takers(Routing routing, String type, List<String> channels) {
    return routing.targets().stream()
        .filter(target -> target.takes(type, channels))
        .map(RouteTarget::endpointId)
        .toList();
  }

  @Test
  void aSendSeesEveryLevelsRetryPolicy() {
    fixture.applications.update(
        ENV,
        "acme",
        s ->
            new ApplicationSpec(
                s.uid(), s.name(), "{}", null, true, new ApplicationSettings("1m", null)));
    database.write(
        handle ->
            handle.execute(
                "UPDATE environments SET settings = ? WHERE id = ?",
                "{\"retryPolicy\":\"1h\"}",
                ENV));
    Endpoint endpoint = fixture.endpoint(application, spec().with(RETRY_POLICY, "5s"));
    EndpointConfig config =
        requireNonNull(fixture.routing.loadConfig(application.id().value(), endpoint.id().value()));
    assertThat(config.retryPolicies()).isEqualTo(new EndpointConfig.RetryPolicies("1m", "1h"));
    assertThat(config.get(RETRY_POLICY)).isEqualTo("5s");
    assertThat(config.environmentId()).isEqualTo(ENV);
    assertThat(config.get(URL)).isEqualTo("https://example.com/hook");
    assertThat(
            fixture.routing.loadConfig(
                fixture.application("other").id().value(), endpoint.id().value()))
        .isNull();
  }

  @Test
  void storedLimitsAreLoweredToTheApplicationsGrant() {
    Endpoint plain = fixture.endpoint(application, spec());
    Endpoint greedy =
        fixture.endpoint(application, spec().with(MAX_IN_FLIGHT, 10_000).with(TIMEOUT_MS, 60_000));
    assertThat(sent(plain)).containsExactly(null, null, null, null);
    assertThat(sent(greedy)).containsExactly(100, 100, 100, 15_000);
    int version =
        requireNonNull(fixture.endpoints.find(application.id(), idText(greedy))).version();

    fixture.applications.raiseGrant(application, new Grant(2_000, 30_000, false));
    assertThat(sent(greedy)).containsExactly(2_000, 2_000, 2_000, 30_000);
    assertThat(requireNonNull(fixture.endpoints.find(application.id(), idText(greedy))).version())
        .as("senders keep the configuration by its version")
        .isGreaterThan(version);

    fixture.applications.update(
        ENV, "acme", s -> s.with(s.settings().with(new Grant(5, 2_000, false))));
    assertThat(sent(greedy)).containsExactly(5, 5, 5, 2_000);
  }

  private static String idText(Endpoint endpoint) {
    return endpoint.id().text();
  }

  /** The cap as accepting, claiming and sending see it, and the timeout. */
  private List<Integer> sent(Endpoint endpoint) {
    RouteTarget target =
        requireNonNull(fixture.routing.load(ENV, "acme")).targets().stream()
            .filter(one -> one.endpointId().equals(endpoint.id().value()))
            .findFirst()
            .orElseThrow();
    EndpointConfig config =
        requireNonNull(fixture.routing.loadConfig(application.id().value(), endpoint.id().value()));
    return Arrays.asList(
        target.maxInFlight(),
        new LaneStore(database).read(List.of(endpoint.id().value())).getFirst().maxInFlight(),
        config.request().maxInFlight(),
        config.request().timeoutMs());
  }
}
