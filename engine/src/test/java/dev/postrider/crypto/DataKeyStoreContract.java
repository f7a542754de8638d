package dev.postrider.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import org.junit.jupiter.api.Test;

/** What the keyring relies on, whatever keeps the rows. */
public abstract class DataKeyStoreContract {
  private static final KeyScope A = KeyScope.ofEnvironment("env-a");
  private static final KeyScope OWN = new KeyScope("env-a", new ApplicationId(new Id(9, 9)));

  /** An empty store. */
  protected abstract DataKeyStore store();

  @Test
  void loadsOnlyTheScopesOwn() {
    DataKeyStore store = store();
    WrappedDataKey first = key(1, A, "11111111", 10);
    WrappedDataKey second = key(2, A, "11111111", 20);
    WrappedDataKey other = key(3, KeyScope.ofEnvironment("env-b"), "11111111", 30);
    WrappedDataKey own = key(4, OWN, "22222222", 40);
    for (WrappedDataKey key : new WrappedDataKey[] {first, second, other, own}) {
      assertThat(store.insertIfAbsent(key)).isEqualTo(key);
    }
    assertThat(store.load(A)).containsExactlyInAnyOrder(first, second);
    assertThat(store.load(OWN)).containsExactly(own);
    assertThat(store.load(new KeyScope("env-b", OWN.applicationId()))).isEmpty();
    assertThat(store.load(KeyScope.ofEnvironment("env-c"))).isEmpty();
    assertThat(store.masterKeyIds()).containsExactlyInAnyOrder("11111111", "22222222");
    assertThat(store.withOtherMaster("22222222", Id.ZERO, 2)).containsExactly(first, second);
    assertThat(store.withOtherMaster("22222222", second.id(), 2)).containsExactly(other);
    assertThat(store.withOtherMaster("11111111", Id.ZERO, 9)).containsExactly(own);
  }

  @Test
  void theFirstToInsertAnIdWins() {
    DataKeyStore store = store();
    WrappedDataKey winner = key(1, A, "11111111", 10);
    store.insertIfAbsent(winner);
    assertThat(store.insertIfAbsent(key(1, A, "22222222", 20))).isEqualTo(winner);
    assertThat(store.load(A)).containsExactly(winner);
  }

  @Test
  void replacesOnlyWhatIsStillThere() {
    DataKeyStore store = store();
    WrappedDataKey old = key(1, A, "11111111", 10);
    store.insertIfAbsent(old);
    WrappedDataKey fresh = old.wrappedBy("22222222", new byte[] {4, 5});
    assertThat(store.replace(old, fresh)).isTrue();
    assertThat(store.replace(old, old.wrappedBy("33333333", new byte[] {6}))).isFalse();
    assertThat(store.replace(fresh.wrappedBy("22222222", new byte[] {9}), old)).isFalse();
    assertThat(store.load(A)).containsExactly(fresh);
    assertThat(store.replace(key(7, A, "11111111", 1), key(7, A, "22222222", 1))).isFalse();
  }

  private static WrappedDataKey key(int id, KeyScope scope, String masterKeyId, long createdAtMs) {
    return new WrappedDataKey(
        new Id(id, id), scope, masterKeyId, new byte[] {1, 2, (byte) id}, createdAtMs);
  }
}
