package dev.postrider.crypto;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class KeyringTest {
  private static final String ENV = "env-a";
  private static final KeyScope OWN = new KeyScope(ENV, new ApplicationId(new Id(9, 9)));
  private static final byte[] SECRET = "whsec_top-secret-value".getBytes(UTF_8);
  private static final byte[] ROW = "ep_1".getBytes(UTF_8);

  private final SecureRandom random = new SecureRandom();
  private final SteppedTime time = new SteppedTime();
  private final InMemoryDataKeyStore store = new InMemoryDataKeyStore();
  private final MasterKey master = MasterKey.generate(random, "test");
  private final Keyring keyring = keyring(master);

  @Test
  void opensWhatItSealed() {
    for (byte[] secret : List.of(SECRET, new byte[0], new byte[Keyring.MAX_PLAINTEXT_BYTES])) {
      byte[] sealed = keyring.seal(KeyScope.ofEnvironment(ENV), secret, ROW);
      assertThat(keyring.open(ENV, sealed, ROW)).isEqualTo(secret);
      assertThat(keyring(master).open(ENV, sealed, ROW)).isEqualTo(secret);
    }
    assertThatThrownBy(
            () ->
                keyring.seal(
                    KeyScope.ofEnvironment(ENV), new byte[Keyring.MAX_PLAINTEXT_BYTES + 1], ROW))
        .hasMessageContaining("at most");
  }

  @Test
  void sealsTheSameSecretDifferentlyEachTimeAndNeverReadably() {
    byte[] sealed = keyring.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    assertThat(sealed).isNotEqualTo(keyring.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW));
    assertThat(new String(sealed, UTF_8)).doesNotContain("secret");
    assertThat(new String(store.all().getFirst().wrapped(), UTF_8)).doesNotContain("secret");
  }

  @Test
  void aSecretMovedToAnotherRowOrEnvironmentDoesNotOpen() {
    byte[] sealed = keyring.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    assertUnreadable(SecretUnreadable.Reason.NOT_AUTHENTIC, ENV, sealed, "ep_2".getBytes(UTF_8));
    assertUnreadable(SecretUnreadable.Reason.UNKNOWN_DATA_KEY, "env-b", sealed, ROW);
    keyring.seal(KeyScope.ofEnvironment("env-b"), SECRET, ROW);
    assertUnreadable(SecretUnreadable.Reason.UNKNOWN_DATA_KEY, "env-b", sealed, ROW);
  }

  @Test
  void noFlippedBitIsOverlooked() {
    byte[] sealed = keyring.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    for (int bit = 0; bit < sealed.length * 8; bit++) {
      byte[] changed = sealed.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> keyring.open(ENV, changed, ROW))
          .isInstanceOf(SecretUnreadable.class);
    }
    assertUnreadable(SecretUnreadable.Reason.UNKNOWN_FORMAT, ENV, new byte[0], ROW);
    assertUnreadable(SecretUnreadable.Reason.UNKNOWN_FORMAT, ENV, new byte[44], ROW);
  }

  @Test
  void aDataKeyMovedToAnotherEnvironmentDoesNotOpen() {
    keyring.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    WrappedDataKey key = store.all().getFirst();
    store.put(
        new WrappedDataKey(
            key.id(),
            KeyScope.ofEnvironment("env-b"),
            key.masterKeyId(),
            key.wrapped(),
            key.createdAtMs()));
    assertThatThrownBy(() -> keyring(master).seal(KeyScope.ofEnvironment("env-b"), SECRET, ROW))
        .isInstanceOf(SecretUnreadable.class);
  }

  @Test
  void anApplicationHasADataKeyOfItsOwnIfItIsAsked() {
    byte[] shared = keyring.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    byte[] own = keyring.seal(OWN, SECRET, ROW);
    assertThat(store.all()).hasSize(2);
    assertThat(Keyring.isOfEnvironment(shared)).isTrue();
    assertThat(Keyring.isOfEnvironment(own)).isFalse();
    Keyring restarted = keyring(master);
    assertThat(restarted.open(ENV, own, ROW)).isEqualTo(SECRET);
    assertThat(restarted.open(ENV, shared, ROW)).isEqualTo(SECRET);
    assertUnreadable(SecretUnreadable.Reason.UNKNOWN_DATA_KEY, "env-b", own, ROW);
    for (int bit = 0; bit < own.length * 8; bit++) {
      byte[] changed = own.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> keyring.open(ENV, changed, ROW))
          .isInstanceOf(SecretUnreadable.class);
    }
  }

  @Test
  void aDataKeyMovedToAnotherApplicationDoesNotOpen() {
    keyring.seal(OWN, SECRET, ROW);
    WrappedDataKey key = store.all().getFirst();
    KeyScope other = new KeyScope(ENV, new ApplicationId(new Id(8, 8)));
    for (KeyScope scope : List.of(other, KeyScope.ofEnvironment(ENV))) {
      store.put(
          new WrappedDataKey(key.id(), scope, key.masterKeyId(), key.wrapped(), key.createdAtMs()));
      assertThatThrownBy(() -> keyring(master).seal(scope, SECRET, ROW))
          .isInstanceOf(SecretUnreadable.class);
    }
  }

  @Test
  void withoutItsDataKeyNothingOfAnApplicationOpens() {
    byte[] shared = keyring.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    byte[] own = keyring.seal(OWN, SECRET, ROW);
    store.removeOf(new Id(9, 9));
    assertThat(keyring.open(ENV, own, ROW)).as("from memory").isEqualTo(SECRET);
    keyring.forget(new ApplicationId(new Id(9, 9)));
    assertUnreadable(SecretUnreadable.Reason.UNKNOWN_DATA_KEY, ENV, own, ROW);
    assertThat(keyring.open(ENV, shared, ROW)).isEqualTo(SECRET);
  }

  @Test
  void inATransactionNoDataKeyIsCreated() {
    Set<KeyScope> postponed = new HashSet<>();
    keyring.prepare(KeyScope.ofEnvironment(ENV));
    Keyring inside = keyring.inTransaction(postponed);
    assertThat(Keyring.isOfEnvironment(inside.seal(OWN, SECRET, ROW))).isTrue();
    assertThat(postponed).containsExactly(OWN);
    assertThat(store.all()).hasSize(1);
    postponed.clear();
    keyring.prepare(OWN);
    assertThat(Keyring.isOfEnvironment(inside.seal(OWN, SECRET, ROW))).isFalse();
    assertThat(postponed).isEmpty();
  }

  @Test
  void withoutTheKmsItIsCalledOnceForAllApplications() throws Exception {
    FakeKms kms = new FakeKms();
    MasterKey remote = MasterKey.ofKms("test-kms://a", kms);
    Keyring before = keyring(remote);
    List<byte[]> sealed = new ArrayList<>();
    for (int n = 0; n < 50; n++) {
      sealed.add(before.seal(new KeyScope(ENV, new ApplicationId(new Id(5, n))), SECRET, ROW));
    }
    Keyring restarted = keyring(remote);
    kms.away(true);
    int calls = kms.calls();
    for (byte[] one : sealed) {
      assertThatThrownBy(() -> restarted.open(ENV, one, ROW))
          .isInstanceOf(MasterKeyUnavailable.class);
    }
    assertThat(kms.calls()).isEqualTo(calls + 1);

    kms.away(false);
    time.step(DataKeyMaker.PAUSE_AFTER_FAILURE);
    for (byte[] one : sealed) {
      assertThat(restarted.open(ENV, one, ROW)).isEqualTo(SECRET);
    }
  }

  @Test
  void keysOfManyApplicationsDoNotStayInMemoryForever() {
    byte[] first = keyring.seal(new KeyScope(ENV, new ApplicationId(new Id(5, 0))), SECRET, ROW);
    int loads = store.loads();
    keyring.open(ENV, first, ROW);
    assertThat(store.loads()).isEqualTo(loads);
    for (int n = 1; n <= Keyring.MAX_SCOPES; n++) {
      SealedBytes.Head unknown = new SealedBytes.Head(new Id(1, n), new Id(6, n));
      byte[] other = SealedBytes.join(unknown.dataKey(), unknown.applicationId(), new byte[28]);
      assertThatThrownBy(() -> keyring.open(ENV, other, ROW)).isInstanceOf(SecretUnreadable.class);
    }
    loads = store.loads();
    assertThat(keyring.open(ENV, first, ROW)).isEqualTo(SECRET);
    assertThat(store.loads()).isEqualTo(loads + 1);
  }

  @Test
  void anotherMasterKeyMeansWaitingNotLosing() {
    byte[] sealed = keyring.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    Keyring stranger = keyring(MasterKey.generate(random, "other"));
    assertThatThrownBy(() -> stranger.open(ENV, sealed, ROW))
        .isInstanceOf(MasterKeyUnavailable.class)
        .hasMessageContaining(master.id())
        .hasMessageContaining("not configured");
    assertThat(stranger.missingMasters()).containsExactly(master.id());
    assertThat(keyring.missingMasters()).isEmpty();
  }

  @Test
  void usesStoreAndMasterKeyOncePerEnvironment() throws Exception {
    FakeKms kms = new FakeKms();
    Keyring remote = keyring(MasterKey.ofKms("test-kms://a", kms));
    byte[] sealed = remote.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    int calls = kms.calls();
    int loads = store.loads();
    for (int i = 0; i < 100; i++) {
      remote.open(ENV, sealed, ROW);
      remote.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    }
    assertThat(kms.calls()).isEqualTo(calls);
    assertThat(store.loads()).isEqualTo(loads);
  }

  @Test
  void twoInstancesThatStartTogetherMakeOneDataKey() throws Exception {
    Keyring second = keyring(master);
    store.letReadersMeet(2);
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<byte[]> a = pool.submit(() -> keyring.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW));
      Future<byte[]> b = pool.submit(() -> second.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW));
      assertThat(second.open(ENV, a.get(), ROW)).isEqualTo(SECRET);
      assertThat(keyring.open(ENV, b.get(), ROW)).isEqualTo(SECRET);
    }
    assertThat(store.all()).hasSize(1);
  }

  @Test
  void aNewDataKeySealsAndTheOldOneStillOpens() {
    byte[] before = keyring.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    Keyring other = keyring(master);
    other.open(ENV, before, ROW);
    Id fresh = keyring.rotateDataKey(KeyScope.ofEnvironment(ENV));
    byte[] after = keyring.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);

    assertThat(SealedBytes.head(after).dataKey())
        .isEqualTo(fresh)
        .isNotEqualTo(SealedBytes.head(before).dataKey());
    assertThat(keyring.open(ENV, before, ROW)).isEqualTo(SECRET);
    assertThat(other.open(ENV, after, ROW)).isEqualTo(SECRET);
    byte[] restarted = keyring(master).seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    assertThat(SealedBytes.head(restarted).dataKey()).isEqualTo(fresh);
  }

  @Test
  void withoutTheKmsCallersWaitAndItIsNotCalled() throws Exception {
    FakeKms kms = new FakeKms();
    MasterKey remote = MasterKey.ofKms("test-kms://a", kms);
    byte[] sealed = keyring(remote).seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    Keyring restarted = keyring(remote);
    kms.away(true);
    int calls = kms.calls();
    for (int i = 0; i < 50; i++) {
      assertThatThrownBy(() -> restarted.open(ENV, sealed, ROW))
          .isInstanceOf(MasterKeyUnavailable.class)
          .hasMessageStartingWith("KMS unreachable");
    }
    assertThat(kms.calls()).isEqualTo(calls + 1);

    kms.away(false);
    time.step(DataKeyMaker.PAUSE_AFTER_FAILURE);
    assertThat(restarted.open(ENV, sealed, ROW)).isEqualTo(SECRET);
  }

  @Test
  void anOpenedDataKeyNeedsNoKms() throws Exception {
    FakeKms kms = new FakeKms();
    Keyring remote = keyring(MasterKey.ofKms("test-kms://a", kms));
    byte[] sealed = remote.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    kms.away(true);
    assertThat(remote.open(ENV, sealed, ROW)).isEqualTo(SECRET);
    assertThatThrownBy(() -> remote.seal(KeyScope.ofEnvironment("env-b"), SECRET, ROW))
        .isInstanceOf(MasterKeyUnavailable.class);
  }

  @Test
  void wrongCiphertextDoesNotMakeTheKmsUnavailable() throws Exception {
    Keyring remote = keyring(MasterKey.ofKms("test-kms://a", new FakeKms()));
    byte[] sealed = remote.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    WrappedDataKey key = store.load(KeyScope.ofEnvironment(ENV)).getFirst();
    byte[] damaged = key.wrapped().clone();
    damaged[damaged.length - 1] ^= 1;
    store.put(key.wrappedBy(key.masterKeyId(), damaged));
    Keyring restarted = keyring(MasterKey.ofKms("test-kms://a", new FakeKms()));
    assertThatThrownBy(() -> restarted.open(ENV, sealed, ROW)).isInstanceOf(SecretUnreadable.class);
  }

  @Test
  void noFailureShowsASecretOrAKey() {
    String text =
        Base64.getEncoder()
            .encodeToString(
                new byte[] {
                  7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
                  7, 7, 7, 7, 7
                });
    MasterKey known = MasterKey.ofText(text, "POSTRIDER_MASTER_KEY");
    Keyring ring = keyring(known);
    byte[] sealed = ring.seal(KeyScope.ofEnvironment(ENV), SECRET, ROW);
    sealed[sealed.length - 1] ^= 1;
    SecretUnreadable thrown =
        catchThrowableOfType(SecretUnreadable.class, () -> ring.open(ENV, sealed, ROW));
    StringWriter trace = new StringWriter();
    thrown.printStackTrace(new PrintWriter(trace));
    String everything = trace + " " + known + " " + ring + " " + store.all();
    assertThat(everything)
        .contains(known.id())
        .doesNotContain(text)
        .doesNotContain("top-secret")
        .doesNotContain("0707");
  }

  private void assertUnreadable(
      SecretUnreadable.Reason reason, String environment, byte[] sealed, byte[] context) {
    SecretUnreadable thrown =
        catchThrowableOfType(
            SecretUnreadable.class, () -> keyring.open(environment, sealed, context));
    assertThat(thrown).isNotNull();
    assertThat(thrown.reason()).isEqualTo(reason);
  }

  private Keyring keyring(MasterKey current, MasterKey... previous) {
    return new Keyring(
        current, List.of(previous), store, new Ids(time::nowMs, random), time, random);
  }

  @Test
  void tagIsTheSameAgainAndDiffersByKeyPurposeAndInput() {
    KeyScope scope = KeyScope.ofEnvironment(ENV);
    Keyring.Tag tag = keyring.tag(scope, null, "callback", SECRET);

    assertThat(tag.mac()).hasSize(32);
    assertThat(keyring(master).tag(scope, tag.dataKey(), "callback", SECRET).mac())
        .isEqualTo(tag.mac());
    assertThat(keyring.tag(scope, null, "other", SECRET).mac()).isNotEqualTo(tag.mac());
    assertThat(keyring.tag(scope, null, "callback", ROW).mac()).isNotEqualTo(tag.mac());
    keyring.rotateDataKey(scope);
    assertThat(keyring.tag(scope, null, "callback", SECRET).mac()).isNotEqualTo(tag.mac());
    assertThat(keyring.tag(scope, tag.dataKey(), "callback", SECRET).mac()).isEqualTo(tag.mac());
  }
}
