package dev.postrider.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.bench.report.Window;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The whole testbed with the naive reference in place of the product: PostgreSQL, four processes,
 * one short window, the final count.
 */
@Timeout(240)
class NaiveSessionTest {
  @Test
  void acceptedMessagesAreDeliveredCountedAndTimed() {
    ServerSpec none = new ServerSpec(Path.of("none.jar"), List.of("-XX:+UseSerialGC"), Map.of());
    Path folder;
    try (Testbed testbed = SmallTestbed.start(none, List.of())) {
      folder = testbed.folder();
      assertThat(testbed.postgres().settings())
          .containsEntry("fsync", "on")
          .containsEntry("synchronous_commit", "on")
          .containsEntry("full_page_writes", "on")
          .containsEntry("shared_buffers", "512MB")
          .containsEntry("max_wal_size", "4GB");
      try (Session session = Session.openNaive(testbed, Layout.fanOut(testbed, 2))) {
        Window window = session.measure("test", session.plan().withRate(50), 1, 2);

        assertThat(window.errors()).isZero();
        // About 50 and 100; a busy machine stops for a while and then catches up.
        assertThat(window.acceptedPerSecond()).isBetween(5.0, 500.0);
        assertThat(window.deliveredPerSecond()).isBetween(10.0, 1000.0);
        assertThat(window.accept().count()).isEqualTo(window.accepted());
        assertThat(window.endToEnd().count()).isEqualTo(window.delivered());
        assertThat(window.cpuPer100k()).containsOnlyKeys("server", "postgres", "loader", "sink");
        assertThat(window.cpuMicros("server")).isPositive();
        assertThat(window.serverMb()).isGreaterThan(20);
        assertThat(window.samples()).hasSize(2);
        assertThat(session.finish(2)).isEmpty();
        assertThat(session.finish(3)).singleElement().asString().contains("messages × fan-out");
      }
    }
    assertThat(Files.exists(folder)).isFalse();
  }

  @Test
  void aDatabaseThatMayLoseCommitsIsRefused() {
    assertThatThrownBy(
            () ->
                BenchPostgres.refuseUnlessDurable(
                    Map.of("fsync", "on", "synchronous_commit", "off", "full_page_writes", "on")))
        .isInstanceOf(BenchFailure.class)
        .hasMessageContaining("synchronous_commit = off");
  }
}
