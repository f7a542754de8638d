package dev.postrider.eventtype;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.evaluation.EvaluationLimits;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.eventtype.EventType.Owner;
import dev.postrider.json.Problem;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.UpsertResult;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.SlowDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Event types, on both databases. */
@OnEachDatabase
final class EventTypeTest {
  private static final EventType.Spec PLAIN = EventType.Spec.of("one");
  private static final EventType.Spec ARRAYS_ONLY =
      EventType.Spec.of("d")
          .with(EventTypeFields.SCHEMAS, "{\"1\":{\"type\":\"array\"}}")
          .with(EventTypeFields.SCHEMA_CHECK, SchemaCheck.ENFORCE.text());

  private static final Owner E = Owner.environment("e");
  private static final Owner OTHER = Owner.environment("other");

  @TempDir Path folder;

  private Database database;
  private final ManualTime time = new ManualTime();
  private Fixture fixture;
  private EventTypeStore store;

  @Parameter Databases.Kind kind;

  @BeforeEach
  void open() {
    database = kind.open(folder);
    fixture = new Fixture(database, time);
    store = fixture.eventTypes;
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aLiveNameIsNotCreatedTwice() {
    EventType.Spec rich =
        EventType.Spec.of("Paid")
            .with(EventTypeFields.DEPRECATED, true)
            .with(EventTypeFields.FEATURE_FLAGS, List.of("beta", "x"))
            .with(EventTypeFields.GROUP_NAME, "billing")
            .with(EventTypeFields.SCHEMAS, "{\"1\":{\"type\":\"object\"}}")
            .with(EventTypeFields.SCHEMA_CHECK, SchemaCheck.WARN.text())
            .with(EventTypeFields.RETRY_POLICY, "5s,30s");
    UpsertResult<EventType> first = store.create(E, "invoice.paid", rich);
    assertThat(first.created()).isTrue();
    assertThat(first.value().spec()).isEqualTo(rich);
    UpsertResult<EventType> second = store.create(E, "invoice.paid", PLAIN);
    assertThat(second.created()).isFalse();
    assertThat(second.value()).isEqualTo(first.value());
    assertThat(store.create(OTHER, "invoice.paid", PLAIN).created()).isTrue();
  }

  @Test
  void anArchivedNameIsHiddenAndComesBack() {
    store.create(E, "a", PLAIN);
    assertThat(store.delete(E, "a", false)).isTrue();
    assertThat(names(false)).isEmpty();
    assertThat(names(true)).containsExactly("a");
    assertThat(store.create(E, "a", PLAIN).created()).isTrue();
    assertThat(names(false)).containsExactly("a");
    assertThat(store.delete(E, "a", true)).isTrue();
    assertThat(store.find(E, "a")).isNull();
    assertThat(store.delete(E, "a", true)).isFalse();
  }

  private List<String> names(boolean archived) {
    return store.list(E, archived, Keyset.first(10, true)).items().stream()
        .map(EventType::name)
        .toList();
  }

  @Test
  void changesAndUpsertsKeepTheIdentity() {
    UpsertResult<EventType> created = store.upsert(E, "a", PLAIN, _ -> PLAIN);
    EventType.Spec other = EventType.Spec.of("two");
    UpsertResult<EventType> again = store.upsert(E, "a", other, _ -> other);
    assertThat(created.created()).isTrue();
    assertThat(again.created()).isFalse();
    assertThat(again.value().id()).isEqualTo(created.value().id());
    EventType changed = store.update(E, "a", _ -> EventType.Spec.of("three"));
    assertThat(changed)
        .isNotNull()
        .extracting(type -> type.spec().get(EventTypeFields.DESCRIPTION))
        .isEqualTo("three");
    assertThat(store.update(E, "nothing", spec -> spec)).isNull();
  }

  @Test
  void namesAreListedBytewise() {
    for (String name : List.of("b", "B", "a.b", "a-b", "_", "Z")) {
      store.create(E, name, PLAIN);
    }
    assertThat(names(false)).containsExactly("B", "Z", "_", "a-b", "a.b", "b");
    assertThat(store.list(E, false, new Keyset<>(2, "Z", false, true)).items())
        .extracting(EventType::name)
        .containsExactly("_", "a-b");
    assertThat(store.list(E, false, new Keyset<>(2, "a.b", true, true)).items())
        .extracting(EventType::name)
        .containsExactly("_", "a-b");
  }

  /** As on two instances: one changes, the other hears of it by a signal, or by the time. */
  @Test
  void rulesAreReadAgainAfterASignalOrASecond() {
    fixture.environments.ensure("e", "E");
    EventTypeRules rules =
        new EventTypeRules(store, new Evaluator(EvaluationLimits.DEFAULT, time), time);
    assertThat(problems(rules)).isEmpty();
    store.create(E, "a", ARRAYS_ONLY);
    assertThat(problems(rules)).as("from memory").isEmpty();
    rules.signal();
    assertThat(problems(rules)).hasSize(1);
    store.delete(E, "a", true);
    assertThat(problems(rules)).as("from memory").hasSize(1);
    time.advance(Duration.ofMillis(1_100));
    assertThat(problems(rules)).isEmpty();
  }

  @Test
  @Timeout(120)
  void rulesInUseAreReadAgainInTheBackground() {
    fixture.environments.ensure("e", "E");
    AtomicReference<CountDownLatch> held = new AtomicReference<>(new CountDownLatch(0));
    SlowDatabase slow = new SlowDatabase(database, () -> await(held.get()));
    EventTypeRules rules =
        new EventTypeRules(
            new EventTypeStore(slow, fixture.ids, time, fixture.events),
            new Evaluator(EvaluationLimits.DEFAULT, time),
            time);
    assertThat(problems(rules)).isEmpty();
    store.create(E, "a", ARRAYS_ONLY);

    CountDownLatch reading = new CountDownLatch(1);
    held.set(reading);
    time.advance(Duration.ofMillis(600));
    assertThat(problems(rules)).as("not delayed by the read").isEmpty();
    reading.countDown();
    Signals.poll("the change is seen", () -> problems(rules).size() == 1);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Problem> problems(EventTypeRules rules) {
    return rules.look("e", () -> null, "a", null, new byte[] {'{', '}'}).problems();
  }
}
