package dev.postrider.crypto;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class MasterRotationTest {
  private static final byte[] SECRET = "whsec_top-secret-value".getBytes(UTF_8);
  private static final byte[] ROW = "ep_1".getBytes(UTF_8);

  private final SecureRandom random = new SecureRandom();
  private final SteppedTime time = new SteppedTime();
  private final InMemoryDataKeyStore store = new InMemoryDataKeyStore();
  private final MasterKey old = MasterKey.generate(random, "old");
  private final MasterKey fresh = MasterKey.generate(random, "fresh");

  @Test
  void everyDataKeyIsRewrappedAndTheOldMasterIsNoLongerNeeded() {
    Keyring keyring = keyring(old);
    byte[] a = keyring.seal(KeyScope.ofEnvironment("env-a"), SECRET, ROW);
    byte[] b = keyring.seal(KeyScope.ofEnvironment("env-b"), SECRET, ROW);
    keyring.rotateDataKey(KeyScope.ofEnvironment("env-b"));
    byte[] own = keyring.seal(new KeyScope("env-a", new ApplicationId(new Id(9, 9))), SECRET, ROW);

    MasterRotation rotation = keyring.rotateMaster(fresh);

    assertThat(rotation).isEqualTo(new MasterRotation(4, List.of()));
    assertThat(rotation.complete()).isTrue();
    assertThat(store.all()).allMatch(key -> key.masterKeyId().equals(fresh.id()));
    Keyring restarted = keyring(fresh);
    assertThat(restarted.open("env-a", a, ROW)).isEqualTo(SECRET);
    assertThat(restarted.open("env-b", b, ROW)).isEqualTo(SECRET);
    assertThat(restarted.open("env-a", own, ROW)).isEqualTo(SECRET);
    assertThatThrownBy(() -> keyring(old).open("env-a", a, ROW))
        .isInstanceOf(MasterKeyUnavailable.class);
  }

  @Test
  void laterDataKeysAreWrappedByTheNewMasterKey() {
    Keyring keyring = keyring(old);
    keyring.rotateMaster(fresh);
    keyring.seal(KeyScope.ofEnvironment("env-a"), SECRET, ROW);
    assertThat(keyring.currentMasterId()).isEqualTo(fresh.id());
    assertThat(store.all())
        .singleElement()
        .extracting(WrappedDataKey::masterKeyId)
        .isEqualTo(fresh.id());
  }

  @Test
  void anInstanceWithBothMastersReadsBoth() {
    byte[] before = keyring(old).seal(KeyScope.ofEnvironment("env-a"), SECRET, ROW);
    Keyring both = keyring(fresh, old);
    assertThat(both.open("env-a", before, ROW)).isEqualTo(SECRET);
    assertThat(both.rotateMaster(fresh).rewrapped()).isEqualTo(1);
    assertThat(keyring(fresh).open("env-a", before, ROW)).isEqualTo(SECRET);
  }

  @Test
  void aDataKeyThatDoesNotOpenIsNamedAndStopsNoOther() {
    Keyring keyring = keyring(old);
    keyring.seal(KeyScope.ofEnvironment("env-a"), SECRET, ROW);
    keyring.seal(KeyScope.ofEnvironment("env-b"), SECRET, ROW);
    keyring(MasterKey.generate(random, "lost")).seal(KeyScope.ofEnvironment("env-c"), SECRET, ROW);
    WrappedDataKey damaged = store.load(KeyScope.ofEnvironment("env-a")).getFirst();
    store.put(damaged.wrappedBy(old.id(), new byte[60]));
    Id lost = store.load(KeyScope.ofEnvironment("env-c")).getFirst().id();

    MasterRotation rotation = keyring.rotateMaster(fresh);

    assertThat(rotation.rewrapped()).isEqualTo(1);
    assertThat(rotation.left()).containsExactlyInAnyOrder(damaged.id(), lost);
    assertThat(rotation.complete()).isFalse();
  }

  @Test
  void anUnavailableMasterKeyChangesNothing() throws Exception {
    Keyring keyring = keyring(old);
    keyring.seal(KeyScope.ofEnvironment("env-a"), SECRET, ROW);
    FakeKms kms = new FakeKms();
    kms.away(true);
    assertThatThrownBy(() -> keyring.rotateMaster(MasterKey.ofKms("test-kms://a", kms)))
        .isInstanceOf(MasterKeyUnavailable.class);
    assertThat(keyring.currentMasterId()).isEqualTo(old.id());
    assertThat(store.all()).allMatch(key -> key.masterKeyId().equals(old.id()));
  }

  @Test
  void twoRotationsAtOnceEndWithEveryKeyUnderTheNewMaster() throws Exception {
    Keyring first = keyring(old);
    Keyring second = keyring(old);
    List<byte[]> sealed = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      sealed.add(first.seal(KeyScope.ofEnvironment("env-" + i), SECRET, ROW));
    }
    store.letReadersMeet(2);
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<MasterRotation> a = pool.submit(() -> first.rotateMaster(fresh));
      Future<MasterRotation> b = pool.submit(() -> second.rotateMaster(fresh));
      assertThat(a.get().complete() && b.get().complete()).isTrue();
      assertThat(a.get().rewrapped() + b.get().rewrapped()).isEqualTo(50);
    }
    Keyring restarted = keyring(fresh);
    for (int i = 0; i < 50; i++) {
      assertThat(restarted.open("env-" + i, sealed.get(i), ROW)).isEqualTo(SECRET);
    }
  }

  @Test
  void sealingAndOpeningGoOnDuringRotations() throws Exception {
    Keyring keyring = keyring(old);
    AtomicBoolean stop = new AtomicBoolean();
    int workers = 8;
    CountDownLatch running = new CountDownLatch(workers);
    // Busy threads: virtual ones would wait for each other, as nothing here blocks.
    try (ExecutorService pool = Executors.newFixedThreadPool(workers)) {
      List<Future<List<byte[]>>> results = new ArrayList<>();
      for (int i = 0; i < workers; i++) {
        results.add(pool.submit(sealAndOpen(keyring, "env-" + i % 3, running, stop)));
      }
      running.await();
      MasterKey last = old;
      try {
        for (int round = 0; round < 20; round++) {
          last = MasterKey.generate(random, "round " + round);
          assertThat(keyring.rotateMaster(last).complete()).isTrue();
          keyring.rotateDataKey(KeyScope.ofEnvironment("env-" + round % 3));
        }
      } finally {
        stop.set(true);
      }
      Keyring restarted = keyring(last);
      for (int i = 0; i < workers; i++) {
        for (byte[] sealed : results.get(i).get()) {
          assertThat(restarted.open("env-" + i % 3, sealed, ROW)).isEqualTo(SECRET);
        }
      }
    }
  }

  /** Keeps the last few so that they are opened again with the last master key alone. */
  private Callable<List<byte[]>> sealAndOpen(
      Keyring keyring, String environment, CountDownLatch running, AtomicBoolean stop) {
    return () -> {
      List<byte[]> kept = new ArrayList<>();
      running.countDown();
      while (!stop.get()) {
        byte[] sealed = keyring.seal(KeyScope.ofEnvironment(environment), SECRET, ROW);
        if (!java.util.Arrays.equals(SECRET, keyring.open(environment, sealed, ROW))) {
          throw new GeneralSecurityException("opened something else");
        }
        if (kept.size() < 500) {
          kept.add(sealed);
        }
      }
      return kept;
    };
  }

  private Keyring keyring(MasterKey current, MasterKey... previous) {
    return new Keyring(
        current, List.of(previous), store, new Ids(time::nowMs, random), time, random);
  }
}
