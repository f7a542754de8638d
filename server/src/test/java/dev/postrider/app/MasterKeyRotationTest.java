package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.Cli;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.KmsStandIn;
import dev.postrider.testkit.Receiver;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code keys rotate-master} while the server runs, and without one. */
class MasterKeyRotationTest {
  @TempDir Path folder;

  @Test
  void theRunningServerChangesTheKeyAndStillSigns() throws Exception {
    try (Receiver receiver = new Receiver();
        Engines engines = new Engines(Databases.Kind.SQLITE, folder)) {
      Engine engine = engines.start();
      Application application = engines.application(engine, "acme");
      engines.endpoint(engine, application, receiver.url("/a"));
      String before = Files.readString(folder.resolve("master.key"));

      assertThat(rotate()).contains("changed the master key");

      assertThat(Files.readString(folder.resolve("master.key"))).isNotEqualTo(before);
      assertThat(engine.keyring().missingMasters()).isEmpty();
      engines.endpoint(engine, application, receiver.url("/b"));
      Engines.send(engine, application, "{}");
      receiver.await(2);

      engines.stop(engine);
      Engine again = engines.start();
      Engines.send(again, application, "{}");
      receiver.await(4);
    }
  }

  @Test
  void withoutAServerTheCommandDoesIt() throws Exception {
    try (Engines engines = new Engines(Databases.Kind.SQLITE, folder)) {
      Engine engine = engines.start();
      engines.endpoint(engine, engines.application(engine, "acme"), "http://127.0.0.1:1/x");
    }
    String before = Files.readString(folder.resolve("master.key"));

    assertThat(rotate()).contains("the master key is now");

    assertThat(Files.readString(folder.resolve("master.key"))).isNotEqualTo(before);
    assertThat(folder.resolve("master.key.next")).doesNotExist();
  }

  /** From a file into a KMS: with PostgreSQL while the server runs. */
  @ParameterizedTest
  @EnumSource
  void aKeyInAFileGivesWayToOneInAKms(Databases.Kind kind) throws Exception {
    try (Receiver receiver = new Receiver();
        KmsStandIn kms = new KmsStandIn();
        Engines engines = new Engines(kind, folder)) {
      String address = "env:VAULT_ADDR=" + kms.url();
      String token = "env:VAULT_TOKEN=" + KmsStandIn.TOKEN;
      String next = "MASTER_KEY=vault://transit/postrider";
      Engine first = engines.start();
      Application application = engines.application(first, "acme");
      engines.endpoint(first, application, receiver.url("/a"));
      String old = Files.readString(folder.resolve("master.key")).strip();
      engines.stop(first);
      Engine both = engines.start(next, "MASTER_KEY_PREVIOUS=" + old, address, token);
      if (kind == Databases.Kind.SQLITE) {
        engines.stop(both); // it holds the data folder
      }

      Map<String, String> environment = new HashMap<>(engines.settings());
      environment.put("POSTRIDER_MASTER_KEY", "vault://transit/postrider");
      environment.put("POSTRIDER_MASTER_KEY_PREVIOUS", old);
      environment.put("VAULT_ADDR", kms.url());
      environment.put("VAULT_TOKEN", KmsStandIn.TOKEN);
      assertThat(rotate(environment)).contains("1 data keys were wrapped anew, 0 are left");

      Engine last = engines.start(next, address, token);
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
