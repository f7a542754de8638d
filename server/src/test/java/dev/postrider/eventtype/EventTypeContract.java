package dev.postrider.eventtype;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Saved;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Event types, on whichever database. */
abstract class EventTypeContract {
  private static final EventType.Spec PLAIN =
      new EventType.Spec("one", false, false, null, null, null);

  @TempDir Path folder;

  private Database database;
  private EventTypeStore store;

  abstract Databases.Kind kind();

  @BeforeEach
  void open() {
    database = kind().open(folder);
    store = new Fixture(database, new ManualTime()).eventTypes;
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aLiveNameIsNotCreatedTwice() {
    EventType.Spec rich =
        new EventType.Spec("Paid", false, true, "beta", "{\"1\":{\"type\":\"object\"}}", "5s,30s");
    Saved<EventType> first = store.create("e", "invoice.paid", rich);
    assertThat(first.created()).isTrue();
    assertThat(first.value().spec()).isEqualTo(rich);
    Saved<EventType> second = store.create("e", "invoice.paid", PLAIN);
    assertThat(second.created()).isFalse();
    assertThat(second.value()).isEqualTo(first.value());
    assertThat(store.create("other", "invoice.paid", PLAIN).created()).isTrue();
  }

  @Test
  void anArchivedNameIsHiddenAndComesBack() {
    store.create("e", "a", PLAIN);
    assertThat(store.delete("e", "a", false)).isTrue();
    assertThat(names(false)).isEmpty();
    assertThat(names(true)).containsExactly("a");
    assertThat(store.create("e", "a", PLAIN).created()).isTrue();
    assertThat(names(false)).containsExactly("a");
    assertThat(store.delete("e", "a", true)).isTrue();
    assertThat(store.find("e", "a")).isNull();
    assertThat(store.delete("e", "a", true)).isFalse();
  }

  private List<String> names(boolean archived) {
    return store.list("e", archived, Keyset.first(10, true)).items().stream()
        .map(EventType::name)
        .toList();
  }

  @Test
  void changesAndUpsertsKeepTheIdentity() {
    Saved<EventType> created = store.upsert("e", "a", PLAIN, _ -> PLAIN);
    EventType.Spec other = new EventType.Spec("two", false, false, null, null, null);
    Saved<EventType> again = store.upsert("e", "a", other, _ -> other);
    assertThat(created.created()).isTrue();
    assertThat(again.created()).isFalse();
    assertThat(again.value().id()).isEqualTo(created.value().id());
    EventType changed =
        store.update(
            "e", "a", spec -> new EventType.Spec("three", spec.archived(), true, null, null, null));
    assertThat(changed)
        .isNotNull()
        .extracting(type -> type.spec().description())
        .isEqualTo("three");
    assertThat(store.update("e", "nothing", spec -> spec)).isNull();
  }

  @Test
  void namesAreListedBytewise() {
    for (String name : List.of("b", "B", "a.b", "a-b", "_", "Z")) {
      store.create("e", name, PLAIN);
    }
    assertThat(names(false)).containsExactly("B", "Z", "_", "a-b", "a.b", "b");
    assertThat(store.list("e", false, new Keyset<>(2, "Z", false, true)).items())
        .extracting(EventType::name)
        .containsExactly("_", "a-b");
    assertThat(store.list("e", false, new Keyset<>(2, "a.b", true, true)).items())
        .extracting(EventType::name)
        .containsExactly("_", "a-b");
  }
}
