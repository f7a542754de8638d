package dev.postrider.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Targets;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.time.SystemTime;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages of the past are stored as a server stores them. */
class PreloadTest {
  private static final int MESSAGES = 10;

  @TempDir Path folder;

  @Test
  void aDeliveryHasItsAttemptAndNoRow() {
    SystemTime time = new SystemTime();
    try (SqliteDatabase database = Databases.sqlite(folder)) {
      Fixture fixture = new Fixture(database, time);
      Application application = fixture.application("acme");
      Endpoint endpoint = fixture.endpoint(application, EndpointSpec.of("https://example.com/"));
      long now = time.nowMs();
      new Preload(new Progress(new PrintStream(PrintStream.nullOutputStream()), false), time, 500)
          .fill(Storage.SQLITE, "jdbc:sqlite:" + database.file(), MESSAGES, now - 10_000, now);

      assertThat(count(database, "deliveries")).isZero();
      assertThat(count(database, "attempts WHERE sent_headers IS NOT NULL")).isEqualTo(MESSAGES);
      List<byte[]> targets =
          database.read(
              handle ->
                  handle.createQuery("SELECT targets FROM messages").mapTo(byte[].class).list());
      assertThat(targets)
          .hasSize(MESSAGES)
          .allSatisfy(
              lanes -> assertThat(Targets.decode(lanes)).containsExactly(endpoint.id().value()));
    }
  }

  private static long count(SqliteDatabase database, String what) {
    return database.read(
        handle -> handle.createQuery("SELECT count(*) FROM " + what).mapTo(Long.class).one());
  }
}
