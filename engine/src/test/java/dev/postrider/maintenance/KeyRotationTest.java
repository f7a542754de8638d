package dev.postrider.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.accept.KeyGeneration;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.OnEachDatabase;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** When generations of idempotency keys begin and go. */
@Timeout(120)
@OnEachDatabase
class KeyRotationTest {
  private static final Duration WINDOW = Duration.ofHours(24);

  @TempDir Path folder;
  @Parameter Databases.Kind kind;
  private final ManualTime time = new ManualTime();
  private Database database;
  private KeyRotation rotation;

  @BeforeEach
  void open() {
    database = kind.open(folder);
    rotation = new KeyRotation(database, time, WINDOW);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void keys(int slot, int count) {
    database.write(
        handle -> {
          var batch =
              handle.prepareBatch(
                  "INSERT INTO idempotency_"
                      + slot
                      + " (application_id, key, body, message_id, expires_at) VALUES (:app, :key,"
                      + " :key, :key, 1)");
          for (int i = 0; i < count; i++) {
            batch.bind("app", new Id(i % 3, 1)).bind("key", new Id(9, i)).add();
          }
          return batch.execute().length;
        });
  }

  private long count(String table) {
    return database.read(
        handle -> handle.createQuery("SELECT count(*) FROM " + table).mapTo(Long.class).one());
  }

  @Test
  void aGenerationLastsHalfAWindow() {
    long next = rotation.turn();
    assertThat(rotation.current().number()).isZero();
    assertThat(next).isEqualTo(KeyRotation.EVERY.toMillis());
    time.advance(WINDOW.dividedBy(2).minus(Duration.ofSeconds(31)));
    assertThat(rotation.turn()).as("in half a minute").isEqualTo(30_000);
    assertThat(rotation.current().number()).isZero();
    time.advance(Duration.ofSeconds(30));
    rotation.turn();
    assertThat(rotation.current().number()).isEqualTo(1);
    rotation.turn();
    assertThat(rotation.current().number()).isEqualTo(1);
  }

  @Test
  void anExpiredGenerationIsRemovedInSteps() {
    rotation.turn();
    KeyGeneration first = rotation.current();
    keys(first.slot(), 4_500);
    time.advance(WINDOW);
    rotation.turn();
    assertThat(count("idempotency_0")).as("its keys may count").isEqualTo(4_500);
    time.advance(WINDOW);
    int steps = 0;
    while (rotation.turn() == KeyRotation.STEP_PAUSE.toMillis()) {
      steps++;
    }
    assertThat(steps).isEqualTo(database.dialect() == Dialect.SQLITE ? 2 : 0);
    assertThat(count("idempotency_0")).isZero();
    assertThat(count("key_generations WHERE state = 0")).isEqualTo(2);
  }

  /** The window was longer before a restart: the next table is not free yet. */
  @Test
  void aGenerationStaysCurrentWhileTheNextTableHasKeys() {
    for (int i = 0; i < 3; i++) {
      assertThat(rotation.rotate(rotation.current())).isTrue();
    }
    KeyGeneration last = rotation.current();
    time.advance(WINDOW.dividedBy(2));
    assertThat(rotation.turn()).isEqualTo(KeyRotation.RETRY.toMillis());
    assertThat(rotation.current()).isEqualTo(last);
    time.advance(WINDOW.plusSeconds(5));
    rotation.turn();
    rotation.turn();
    assertThat(rotation.current().number()).isEqualTo(last.number() + 1);
  }
}
