package dev.postrider.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.app.KeysCommand;
import dev.postrider.cli.Cli;
import dev.postrider.config.Config;
import dev.postrider.crypto.DataKeyStore;
import dev.postrider.crypto.InMemoryDataKeyStore;
import dev.postrider.crypto.KeyScope;
import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.MasterKey;
import dev.postrider.crypto.MasterKeyFile;
import dev.postrider.crypto.WrappedDataKey;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.options.OptionNames;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.KmsStandIn;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code keys rotate-master} while the server runs, and without one. */
class MasterKeyRotationTest {
  @TempDir Path folder;
  private final SecureRandom random = new SecureRandom();

  @Test
  void theRunningServerChangesTheKeyAndStillSigns() throws Exception {
    try (Receiver receiver = new Receiver();
        Engines engines = new Engines(Databases.Kind.SQLITE, folder)) {
      TestEngine engine = engines.start();
      Application application = engines.application(engine, "acme");
      engines.endpoint(engine, application, receiver.url("/a"));
      String before = Files.readString(folder.resolve("master.key"));

      assertThat(rotate()).contains("replaced the master key");

      assertThat(Files.readString(folder.resolve("master.key"))).isNotEqualTo(before);
      assertThat(engine.keyring().missingMasters()).isEmpty();
      engines.endpoint(engine, application, receiver.url("/b"));
      Engines.send(engine, application, "{}");
      receiver.await(2);

      engines.stop(engine);
      TestEngine again = engines.start();
      Engines.send(again, application, "{}");
      receiver.await(4);
    }
  }

  @Test
  void withoutAServerTheCommandDoesIt() throws Exception {
    try (Engines engines = new Engines(Databases.Kind.SQLITE, folder)) {
      TestEngine engine = engines.start();
      engines.endpoint(engine, engines.application(engine, "acme"), "http://127.0.0.1:1/x");
    }
    String before = Files.readString(folder.resolve("master.key"));

    assertThat(rotate()).contains("the master key is now");

    assertThat(Files.readString(folder.resolve("master.key"))).isNotEqualTo(before);
    assertThat(folder.resolve("master.key.next")).doesNotExist();
  }

  /** On PostgreSQL nothing keeps the command from doing it itself, beside the server. */
  @Test
  void instancesOnPostgresFollowTheFile() throws Exception {
    Path key = folder.resolve("master.key");
    try (Engines engines = new Engines(Databases.Kind.POSTGRES, folder)) {
      TestEngine one = engines.start();
      TestEngine other = engines.start();
      one.keyring().seal(KeyScope.ofEnvironment("env_1"), new byte[] {1}, new byte[0]);
      for (int round = 0; round < 3; round++) {
        String before = Files.readString(key);
        String id = MasterKey.ofText(before, "before").id();

        rotate(Apps.environment(engines.database(), folder));

        String now = MasterKey.ofText(Files.readString(key), "now").id();
        assertThat(now).isNotEqualTo(id);
        assertThat(folder.resolve("master.key." + id)).hasContent(before);
        engines.await("one follows", () -> one.keyring().currentMasterId().equals(now));
        engines.await("the other follows", () -> other.keyring().currentMasterId().equals(now));
      }
      byte[] sealed =
          other.keyring().seal(KeyScope.ofEnvironment("env_new"), new byte[] {2}, new byte[0]);
      engines.stop(one);
      engines.stop(other);
      TestEngine last = engines.start();
      assertThat(last.keyring().open("env_new", sealed, new byte[0])).containsExactly(2);
    }
  }

  @Test
  void withoutHardLinksAFormerKeyIsCopiedAndNoneIsOverwritten() throws Exception {
    Path current = folder.resolve("current");
    Path kept = folder.resolve("current.kept");
    Files.writeString(current, "a");
    Files.setPosixFilePermissions(current, PosixFilePermissions.fromString("r--------"));
    MasterKeyRotation.copy(current, kept);
    assertThat(kept).hasContent("a");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
        .isEqualTo("r--------");
    Files.delete(current);
    Files.writeString(current, "b");
    assertThatThrownBy(() -> MasterKeyRotation.copy(current, kept))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(kept).hasContent("a");
  }

  /** The server did not look while the command rotated. */
  @Test
  void aServerThatMissedARotationFollowsAndRewrapsItsKeys() throws Exception {
    InMemoryDataKeyStore store = new InMemoryDataKeyStore();
    Keyring server = keyring(store);
    Keyring command = keyring(store);
    byte[] first = server.seal(KeyScope.ofEnvironment("env_1"), new byte[] {1}, new byte[0]);
    stage();
    rotation(command).look();
    byte[] late =
        server.seal(
            KeyScope.ofEnvironment("env_late"),
            new byte[] {2},
            new byte[0]); // still by the old key

    rotation(server).look();

    assertThat(server.currentMasterId()).isEqualTo(command.currentMasterId());
    for (String kept : keptKeys()) {
      Files.delete(folder.resolve(kept));
    }
    Keyring next = keyring(store);
    assertThat(next.missingMasters()).isEmpty();
    assertThat(next.open("env_1", first, new byte[0])).containsExactly(1);
    assertThat(next.open("env_late", late, new byte[0])).containsExactly(2);
  }

  /** It ended before its next look, so the old key is still needed. */
  @Test
  void dataKeysOfAnEarlierMasterKeyOpenWithItsFile() throws Exception {
    InMemoryDataKeyStore store = new InMemoryDataKeyStore();
    Keyring server = keyring(store);
    Keyring command = keyring(store);
    command.seal(KeyScope.ofEnvironment("env_1"), new byte[] {1}, new byte[0]);
    stage();
    rotation(command).look();
    byte[] late = server.seal(KeyScope.ofEnvironment("env_late"), new byte[] {2}, new byte[0]);

    Keyring next = keyring(store);
    assertThat(next.missingMasters()).isEmpty();
    assertThat(next.open("env_late", late, new byte[0])).containsExactly(2);

    rotation(next).look();
    assertThat(store.all())
        .extracting(WrappedDataKey::masterKeyId)
        .containsOnly(next.currentMasterId());
  }

  /** Both see the next key at once: only one moves the files. */
  @Test
  void twoAtOnceNeverLoseTheOldKey() throws Exception {
    InMemoryDataKeyStore rows = new InMemoryDataKeyStore();
    Keyring server = keyring(rows);
    server.seal(KeyScope.ofEnvironment("env_1"), new byte[] {1}, new byte[0]);
    String before = Files.readString(folder.resolve("master.key"));
    AtomicBoolean once = new AtomicBoolean();
    Keyring command =
        keyring(
            new DataKeyStore() {
              @Override
              public List<WrappedDataKey> load(KeyScope scope) {
                return rows.load(scope);
              }

              @Override
              public WrappedDataKey insertIfAbsent(WrappedDataKey key) {
                return rows.insertIfAbsent(key);
              }

              @Override
              public Set<String> masterKeyIds() {
                return rows.masterKeyIds();
              }

              @Override
              public List<WrappedDataKey> withOtherMaster(String masterKeyId, Id after, int limit) {
                return rows.withOtherMaster(masterKeyId, after, limit);
              }

              @Override
              public boolean replace(WrappedDataKey old, WrappedDataKey fresh) {
                if (!once.getAndSet(true)) {
                  try {
                    rotation(server).look(); // in the middle of the command's rotation
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }
                return rows.replace(old, fresh);
              }
            });
    stage();

    rotation(command).look();

    assertThat(once).isTrue();
    String id = MasterKey.ofText(before, "before").id();
    assertThat(folder.resolve("master.key." + id)).hasContent(before);
    assertThat(folder.resolve("master.key.next")).doesNotExist();
    assertThat(MasterKey.ofText(Files.readString(folder.resolve("master.key")), "now").id())
        .isEqualTo(command.currentMasterId())
        .isNotEqualTo(id);
  }

  /** A mistake of an operator must not lock new secrets away. */
  @Test
  void aKeyOfAnotherDatabaseIsNotUsed() throws Exception {
    InMemoryDataKeyStore store = new InMemoryDataKeyStore();
    Keyring server = keyring(store);
    server.seal(KeyScope.ofEnvironment("env_1"), new byte[] {1}, new byte[0]);
    String before = server.currentMasterId();
    Files.delete(folder.resolve("master.key"));
    new MasterKeyFile(folder.resolve("master.key"), random).readOrCreate();

    rotation(server).look();

    assertThat(server.currentMasterId()).isEqualTo(before);
  }

  private void stage() {
    new MasterKeyFile(folder.resolve("master.key.next"), random).readOrCreate();
  }

  private List<String> keptKeys() {
    return Stream.of(Objects.requireNonNull(folder.toFile().list()))
        .filter(name -> name.matches("master\\.key\\.[0-9a-f]{8}"))
        .toList();
  }

  private Keyring keyring(DataKeyStore store) {
    SystemTime time = new SystemTime();
    return MasterKeys.keyring(
        config().security().engine(),
        OptionNames.OF_LIBRARY,
        store,
        new Ids(time::nowMs, random),
        time,
        random);
  }

  private MasterKeyRotation rotation(Keyring keyring) {
    return new MasterKeyRotation(config().security().masterKey(), keyring, random);
  }

  private Config config() {
    return Config.of(Map.of("POSTRIDER_DATA_DIR", folder.toString()));
  }

  /** From a file into a KMS: with PostgreSQL while the server runs. */
  @ParameterizedTest
  @EnumSource
  void aKeyFileIsReplacedByAKms(Databases.Kind kind) throws Exception {
    try (Receiver receiver = new Receiver();
        KmsStandIn kms = new KmsStandIn();
        Engines engines = new Engines(kind, folder)) {
      String address = "env:VAULT_ADDR=" + kms.url();
      String token = "env:VAULT_TOKEN=" + KmsStandIn.TOKEN;
      String next = "MASTER_KEY=vault://transit/postrider";
      TestEngine first = engines.start();
      Application application = engines.application(first, "acme");
      engines.endpoint(first, application, receiver.url("/a"));
      String old = Files.readString(folder.resolve("master.key")).strip();
      engines.stop(first);
      TestEngine both = engines.start(next, "MASTER_KEY_PREVIOUS=" + old, address, token);
      if (kind == Databases.Kind.SQLITE) {
        engines.stop(both); // it holds the data folder
      }

      Map<String, String> environment = Apps.environment(engines.database(), folder);
      environment.put("POSTRIDER_MASTER_KEY", "vault://transit/postrider");
      environment.put("POSTRIDER_MASTER_KEY_PREVIOUS", old);
      environment.put("VAULT_ADDR", kms.url());
      environment.put("VAULT_TOKEN", KmsStandIn.TOKEN);
      assertThat(rotate(environment)).contains("1 data keys were re-encrypted, 0 remain");

      TestEngine last = engines.start(next, address, token);
      int asked = kms.asked();
      Engines.send(last, application, "{}");
      receiver.await(1);
      assertThat(kms.asked()).as("the data key was unwrapped there").isGreaterThan(asked);
    }
  }

  private String rotate() {
    return rotate(Map.of("POSTRIDER_DATA_DIR", folder.toString()));
  }

  private static String rotate(Map<String, String> environment) {
    StringWriter out = new StringWriter();
    Cli.Actions actions = new Cli.Actions(config -> 0, config -> 0, List.of(new KeysCommand()));
    int code =
        new Cli(actions, environment, new PrintWriter(out), new PrintWriter(new StringWriter()))
            .run("keys", "rotate-master");
    assertThat(code).isZero();
    return out.toString();
  }
}
