package dev.postrider.tenant;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.key.ApiKey.Role;
import dev.postrider.tenant.key.ApiKeyStore;
import dev.postrider.tenant.key.ApiKeyStore.NewKey;
import dev.postrider.tenant.key.ApiKeys;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.OnEachDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Environments, applications and API keys, on both databases. */
@OnEachDatabase
final class TenantTest {
  private static final String ENV = Environment.DEFAULT_ID;

  @TempDir Path folder;

  private final ManualTime time = new ManualTime();
  private Database database;
  private Fixture fixture;

  @Parameter Databases.Kind kind;

  @BeforeEach
  void open() {
    database = kind.open(folder);
    fixture = new Fixture(database, time);
    fixture.environments.ensureDefault();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void theDefaultEnvironmentIsMadeOnce() {
    Environment first = fixture.environments.ensureDefault();
    time.advance(Duration.ofMinutes(1));
    assertThat(fixture.environments.ensureDefault()).isEqualTo(first);
    assertThat(first.id()).isEqualTo("env_default");
    assertThat(fixture.environments.find("org_unknown")).isNull();
  }

  @Test
  void anApplicationIsFoundByIdAndByUid() {
    ApplicationSpec spec =
        new ApplicationSpec(
            "acme", "Acme", "{\"plan\":\"gold\"}", 7, true, new ApplicationSettings("5s,1m", 3));
    Application created = fixture.applications.create(ENV, spec);
    assertThat(created.spec()).isEqualTo(spec);
    assertThat(fixture.applications.find(ENV, "acme")).isEqualTo(created);
    assertThat(fixture.applications.find(ENV, created.id().text())).isEqualTo(created);
    assertThat(fixture.applications.find("env_other", "acme")).isNull();
    assertThat(fixture.applications.find("env_other", created.id().text())).isNull();
    assertThat(fixture.applications.find(ENV, "app_000000000000000000000000000")).isNull();
  }

  @Test
  void aTakenUidIsRefusedOrReturned() {
    Application first = fixture.applications.create(ENV, ApplicationSpec.named("acme", "one"));
    assertThatThrownBy(() -> fixture.applications.create(ENV, ApplicationSpec.named("acme", "two")))
        .isInstanceOf(UidTaken.class)
        .hasMessageContaining("acme");
    UpsertResult<Application> again =
        fixture.applications.createOrGet(ENV, ApplicationSpec.named("acme", "two"));
    assertThat(again).isEqualTo(new UpsertResult<>(first, false));
    assertThat(fixture.applications.create("env_other", ApplicationSpec.named("acme", "two")).id())
        .isNotEqualTo(first.id());
  }

  @Test
  void concurrentCreatesOfOneUidMakeOneApplication() throws Exception {
    List<Callable<UpsertResult<Application>>> calls = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      calls.add(() -> fixture.applications.createOrGet(ENV, ApplicationSpec.named("acme", "Acme")));
    }
    Set<Id> seen = ConcurrentHashMap.newKeySet();
    int created = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<UpsertResult<Application>> done : threads.invokeAll(calls)) {
        seen.add(done.get().value().id().value());
        created += done.get().created() ? 1 : 0;
      }
    }
    assertThat(seen).hasSize(1);
    assertThat(created).isEqualTo(1);
  }

  @Test
  void everyChangeBumpsTheRoutingVersion() {
    Application before = fixture.applications.create(ENV, ApplicationSpec.named("acme", "Acme"));
    time.advance(Duration.ofSeconds(1));
    Application after =
        requireNonNull(
            fixture.applications.update(
                ENV,
                "acme",
                spec -> new ApplicationSpec(spec.uid(), "New", "{}", 9, false, spec.settings())));
    assertThat(after.routingVersion()).isGreaterThan(before.routingVersion());
    assertThat(after.spec().name()).isEqualTo("New");
    assertThat(after.spec().active()).isFalse();
    assertThat(after.updatedAt()).isEqualTo(before.updatedAt().plusSeconds(1));
    assertThat(fixture.heardOfApplications)
        .containsExactly(ApplicationChanged.Change.CREATED, ApplicationChanged.Change.DEACTIVATED);
    assertThat(fixture.applications.update(ENV, "nobody", spec -> spec)).isNull();
  }

  @Test
  void aUidMovesOnlyToAFreeOne() {
    fixture.applications.create(ENV, ApplicationSpec.named("a", "A"));
    fixture.applications.create(ENV, ApplicationSpec.named("b", "B"));
    assertThatThrownBy(
            () -> fixture.applications.update(ENV, "b", _ -> ApplicationSpec.named("a", "B")))
        .isInstanceOf(UidTaken.class);
    assertThat(requireNonNull(fixture.applications.find(ENV, "b")).spec().name()).isEqualTo("B");
    fixture.applications.update(ENV, "b", _ -> ApplicationSpec.named("c", "B"));
    assertThat(fixture.applications.find(ENV, "b")).isNull();
  }

  @Test
  void anUpsertCreatesThenChanges() {
    ApplicationSpec spec = ApplicationSpec.named("acme", "Acme");
    UpsertResult<Application> first =
        requireNonNull(fixture.applications.upsert(ENV, "acme", spec, _ -> spec));
    ApplicationSpec renamed = ApplicationSpec.named("acme", "Other");
    UpsertResult<Application> second =
        requireNonNull(fixture.applications.upsert(ENV, "acme", renamed, _ -> renamed));
    assertThat(first.created()).isTrue();
    assertThat(second.created()).isFalse();
    assertThat(second.value().id()).isEqualTo(first.value().id());
    assertThat(second.value().spec().name()).isEqualTo("Other");
    assertThat(fixture.applications.upsert(ENV, "app_000000000000000000000000000", spec, _ -> spec))
        .isNull();
  }

  @Test
  void aDeletedApplicationIsHiddenWithItsEndpointsAndItsUidIsFree() {
    Application application = fixture.application("acme");
    var endpoint = fixture.endpoint(application, EndpointSpec.of("https://example.com/"));
    assertThat(fixture.applications.delete(ENV, "acme")).isTrue();
    assertThat(fixture.applications.delete(ENV, "acme")).isFalse();
    assertThat(fixture.applications.find(ENV, "acme")).isNull();
    assertThat(fixture.endpoints.find(application.id(), endpoint.id().text())).isNull();
    assertThat(fixture.application("acme").id()).isNotEqualTo(application.id());
  }

  @Test
  void listsGoForthAndBackByKey() {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      made.add(fixture.application("app-" + i).spec().name());
    }
    Keyset.Page<Application> first = fixture.applications.list(ENV, Keyset.first(3, true));
    assertThat(names(first)).isEqualTo(made.subList(0, 3));
    assertThat(first.done()).isFalse();
    Keyset.Page<Application> second =
        fixture.applications.list(
            ENV, new Keyset<>(3, first.items().getLast().id().value(), false, true));
    assertThat(names(second)).isEqualTo(made.subList(3, 6));
    Keyset.Page<Application> third =
        fixture.applications.list(
            ENV, new Keyset<>(3, second.items().getLast().id().value(), false, true));
    assertThat(names(third)).isEqualTo(made.subList(6, 7));
    assertThat(third.done()).isTrue();
    Keyset.Page<Application> back =
        fixture.applications.list(
            ENV, new Keyset<>(3, third.items().getFirst().id().value(), true, true));
    assertThat(names(back)).isEqualTo(made.subList(3, 6));
    assertThat(names(fixture.applications.list(ENV, Keyset.first(2, false))))
        .isEqualTo(made.reversed().subList(0, 2));
  }

  private static List<String> names(Keyset.Page<Application> page) {
    return page.items().stream().map(application -> application.spec().name()).toList();
  }

  @Test
  void aKeyIsKeptAsPrefixAndHash() {
    ApiKeyStore.Created created =
        fixture.apiKeys.create(new NewKey(ENV, null, "ci", Role.READ_ONLY, null));
    assertThat(created.token()).startsWith("sk_");
    assertThat(created.key().prefix()).isEqualTo(created.token().substring(0, 8));
    List<String> stored =
        database.read(
            h -> h.createQuery("SELECT name || prefix FROM api_keys").mapTo(String.class).list());
    assertThat(stored).noneMatch(text -> text.contains(created.token()));
    assertThat(created.toString()).doesNotContain(created.token());
    assertThat(fixture.apiKeys.list(ENV, Keyset.first(10, true)).items())
        .containsExactly(created.key());
  }

  @Test
  void aRevokedKeyStopsWithinASecondAndAnExpiredOneAtOnce() {
    ApiKeyStore.Created created =
        fixture.apiKeys.create(new NewKey(ENV, null, "ci", Role.FULL, null));
    ApiKeyStore.Created brief =
        fixture.apiKeys.create(
            new NewKey(ENV, null, "brief", Role.FULL, Instant.ofEpochMilli(time.nowMs() + 100)));
    try (ApiKeys keys = new ApiKeys(fixture.apiKeys, time)) {
      assertThat(requireNonNull(keys.authenticate(created.token())).id())
          .isEqualTo(created.key().id());
      assertThat(keys.authenticate(brief.token())).isNotNull();
      assertThat(keys.authenticate(created.token() + "x")).isNull();
      assertThat(keys.authenticate("")).isNull();

      time.advance(Duration.ofMillis(100));
      assertThat(keys.authenticate(brief.token())).isNull();

      assertThat(fixture.apiKeys.revoke(ENV, created.key().id())).isTrue();
      assertThat(fixture.apiKeys.revoke(ENV, created.key().id())).isFalse();
      time.advance(Duration.ofSeconds(1));
      assertThat(keys.authenticate(created.token())).isNull();
    }
  }

  @Test
  void theHotPathAsksNoDatabase() {
    ApiKeyStore.Created created =
        fixture.apiKeys.create(new NewKey(ENV, null, "ci", Role.FULL, null));
    try (ApiKeys keys = new ApiKeys(fixture.apiKeys, time)) {
      assertThat(keys.authenticate(created.token())).isNotNull();
      database.write(h -> h.execute("DELETE FROM api_keys"));
      assertThat(keys.authenticate(created.token())).as("still from memory").isNotNull();
      time.advance(Duration.ofSeconds(1));
      assertThat(keys.authenticate(created.token())).as("read again").isNull();
    }
  }

  @Test
  void theLastUseIsWrittenAtMostOnceAMinute() {
    ApiKeyStore.Created created =
        fixture.apiKeys.create(new NewKey(ENV, null, "ci", Role.FULL, null));
    useOnce(created.token());
    Instant first = requireNonNull(lastUsed());
    time.advance(Duration.ofSeconds(59));
    useOnce(created.token());
    assertThat(lastUsed()).isEqualTo(first);
    time.advance(Duration.ofSeconds(1));
    useOnce(created.token());
    assertThat(lastUsed()).isEqualTo(first.plusSeconds(60));
  }

  /** Closing waits for what runs in the background. */
  private void useOnce(String token) {
    try (ApiKeys keys = new ApiKeys(fixture.apiKeys, time)) {
      assertThat(keys.authenticate(token)).isNotNull();
    }
  }

  private @Nullable Instant lastUsed() {
    return fixture.apiKeys.list(ENV, Keyset.first(1, true)).items().getFirst().lastUsedAt();
  }

  @Test
  void aFirstKeyIsGeneratedOnce() {
    String token = fixture.apiKeys.bootstrap(null).orElseThrow();
    assertThat(fixture.apiKeys.bootstrap(null)).isEmpty();
    try (ApiKeys keys = new ApiKeys(fixture.apiKeys, time)) {
      assertThat(requireNonNull(keys.authenticate(token)).environmentId()).isEqualTo(ENV);
    }
  }

  @Test
  void aConfiguredKeyIsRegisteredOnce() {
    assertThat(fixture.apiKeys.bootstrap("sk_live_choose-a-long-random-text")).isEmpty();
    assertThat(fixture.apiKeys.bootstrap("sk_live_choose-a-long-random-text")).isEmpty();
    assertThat(fixture.apiKeys.list(ENV, Keyset.first(10, true)).items()).hasSize(1);
    try (ApiKeys keys = new ApiKeys(fixture.apiKeys, time)) {
      assertThat(keys.authenticate("sk_live_choose-a-long-random-text")).isNotNull();
    }
  }
}
