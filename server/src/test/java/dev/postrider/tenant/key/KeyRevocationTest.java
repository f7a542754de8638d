package dev.postrider.tenant.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A key that is revoked while another caller's read of it is under way. */
final class KeyRevocationTest {
  @TempDir Path folder;

  private final ManualTime time = new ManualTime();

  @Test
  void whatWasReadBeforeTheRevocationIsNotKept() {
    try (Database database = Databases.sqlite(folder)) {
      Fixture fixture = new Fixture(database, time);
      fixture.environments.ensureDefault();
      ApiKeyStore.Created created =
          fixture.apiKeys.create(
              new ApiKeyStore.NewKey(Environment.DEFAULT_ID, null, "test", ApiKey.Role.FULL, null));
      AtomicReference<Runnable> afterRead = new AtomicReference<>(() -> {});
      Database slow = new Slow(database, () -> afterRead.getAndSet(() -> {}).run());
      ApiKeyStore store = new ApiKeyStore(slow, fixture.ids, time, fixture.random);
      try (ApiKeys keys = new ApiKeys(store, time)) {
        afterRead.set(
            () -> {
              assertThat(fixture.apiKeys.revoke(Environment.DEFAULT_ID, created.key().id()))
                  .isTrue();
              keys.forget();
            });
        keys.authenticate(created.token());
        assertThat(keys.authenticate(created.token())).as("the next caller").isNull();
      }
    }
  }

  /** Something happens between each read and its use. */
  private record Slow(Database database, Runnable afterRead) implements Database {
    @Override
    public Dialect dialect() {
      return database.dialect();
    }

    @Override
    public <T extends @Nullable Object> T read(Work<T> work) {
      T result = database.read(work);
      afterRead.run();
      return result;
    }

    @Override
    public <T extends @Nullable Object> T snapshot(Work<T> work) {
      return database.snapshot(work);
    }

    @Override
    public <T extends @Nullable Object> T write(Work<T> work) {
      return database.write(work);
    }

    @Override
    public long databaseMs() {
      return database.databaseMs();
    }

    @Override
    public boolean reachable() {
      return database.reachable();
    }

    @Override
    public void migrate() {
      database.migrate();
    }

    @Override
    public void close() {}
  }
}
