package dev.postrider.tenant.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.storage.Database;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.SlowDatabase;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A key that is revoked while another caller's read of it is under way. */
final class KeyRevocationTest {
  @TempDir Path folder;

  private final ManualTime time = new ManualTime();

  @Test
  void aKeyReadBeforeItsRevocationIsNotCached() {
    try (Database database = Databases.sqlite(folder)) {
      Fixture fixture = new Fixture(database, time);
      fixture.environments.ensureDefault();
      ApiKeyStore.Created created =
          fixture.apiKeys.create(
              new ApiKeyStore.NewKey(Environment.DEFAULT_ID, null, "test", ApiKey.Role.FULL, null));
      AtomicReference<Runnable> afterRead = new AtomicReference<>(() -> {});
      Database slow = new SlowDatabase(database, () -> afterRead.getAndSet(() -> {}).run());
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
}
