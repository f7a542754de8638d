package dev.postrider.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import org.junit.jupiter.api.Test;

/** What the keyring relies on, whatever keeps the rows. */
public abstract class DataKeyStoreContract {

  /** An empty store. */
  protected abstract DataKeyStore store();

  @Test
  void loadsOnlyTheEnvironmentsOwn() {
    DataKeyStore store = store();
    WrappedDataKey first = key(1, "env-a", "11111111", 10);
    WrappedDataKey second = key(2, "env-a", "11111111", 20);
    WrappedDataKey other = key(3, "env-b", "11111111", 30);
    for (WrappedDataKey key : new WrappedDataKey[] {first, second, other}) {
      assertThat(store.insertIfAbsent(key)).isEqualTo(key);
    }
    assertThat(store.load("env-a")).containsExactlyInAnyOrder(first, second);
    assertThat(store.load("env-c")).isEmpty();
    assertThat(store.all()).containsExactlyInAnyOrder(first, second, other);
  }

  @Test
  void theFirstToInsertAnIdWins() {
    DataKeyStore store = store();
    WrappedDataKey winner = key(1, "env-a", "11111111", 10);
    store.insertIfAbsent(winner);
    assertThat(store.insertIfAbsent(key(1, "env-a", "22222222", 20))).isEqualTo(winner);
    assertThat(store.load("env-a")).containsExactly(winner);
  }

  @Test
  void replacesOnlyWhatIsStillThere() {
    DataKeyStore store = store();
    WrappedDataKey old = key(1, "env-a", "11111111", 10);
    store.insertIfAbsent(old);
    WrappedDataKey fresh = old.wrappedBy("22222222", new byte[] {4, 5});
    assertThat(store.replace(old, fresh)).isTrue();
    assertThat(store.replace(old, old.wrappedBy("33333333", new byte[] {6}))).isFalse();
    assertThat(store.replace(fresh.wrappedBy("22222222", new byte[] {9}), old)).isFalse();
    assertThat(store.load("env-a")).containsExactly(fresh);
    assertThat(store.replace(key(7, "env-a", "11111111", 1), key(7, "env-a", "22222222", 1)))
        .isFalse();
  }

  private static WrappedDataKey key(
      int id, String environmentId, String masterKeyId, long createdAtMs) {
    return new WrappedDataKey(
        new Id(id, id), environmentId, masterKeyId, new byte[] {1, 2, (byte) id}, createdAtMs);
  }
}
