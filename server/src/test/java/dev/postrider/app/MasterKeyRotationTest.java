package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.Cli;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  private String rotate() {
    StringWriter out = new StringWriter();
    Cli.Actions actions = new Cli.Actions(config -> 0, config -> 0, List.of(new KeysCommand()));
    int code =
        new Cli(
                actions,
                Map.of("POSTRIDER_DATA_DIR", folder.toString()),
                new PrintWriter(out),
                new PrintWriter(new StringWriter()))
            .run("keys", "rotate-master");
    assertThat(code).isZero();
    return out.toString();
  }
}
