package dev.postrider.delivery.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.engine.wiring.EngineParts;
import dev.postrider.options.EngineOptions;
import dev.postrider.storage.Database;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.Signals;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.storage.sqlite.SqliteDedicatedConnection;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import dev.postrider.testkit.TestOptions;
import dev.postrider.time.SystemTime;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An error of the process in the claiming thread: claiming goes on. */
@Timeout(120)
class ClaimFaultTest {
  @TempDir Path folder;

  @Test
  void claimingGoesOnAfterAnError() {
    AtomicInteger claims = new AtomicInteger();
    SqliteDatabase database = Databases.sqlite(folder);
    DedicatedConnection real = new SqliteDedicatedConnection(database);
    DedicatedConnection failing =
        new DedicatedConnection() {
          @Override
          public <T extends @Nullable Object> T run(Database.RawWork<T> work) {
            if (Thread.currentThread().getName().equals("claim") && claims.incrementAndGet() <= 2) {
              throw new NoClassDefFoundError("test");
            }
            return real.run(work);
          }

          @Override
          public <T extends @Nullable Object> T write(Database.Work<T> work) {
            return real.write(work);
          }

          @Override
          public void close() {}
        };
    EngineOptions options = TestOptions.engine(folder, "RETRY_SCHEDULE=10ms,10ms,10ms");
    TestEngine engine =
        TestEngine.of(
            EngineParts.engine(options, database, failing, Signals.NONE, new SystemTime()));
    try (Receiver receiver = new Receiver();
        Engines engines = new Engines(Databases.Kind.SQLITE, folder)) {
      receiver.behave(
          request ->
              Receiver.Answer.of(request.header("postrider-attempt").equals("1") ? 500 : 200));
      engine.start();
      Application acme = engines.application(engine, "acme");
      engines.endpoint(engine, acme, receiver.url("/hook"));
      Engines.send(engine, acme, "{}");
      receiver.await(2);
      assertThat(claims.get()).isGreaterThan(2);
    } finally {
      engine.close();
    }
  }
}
