package dev.postrider.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Benchmark and crash suite both open their PostgreSQL here, so what is refused here is theirs. */
class BenchPostgresTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"fsync", "synchronous_commit", "full_page_writes"})
  void aRunningServerThatMayLoseCommitsIsRefused(String setting) throws Exception {
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder().setDataDirectory(folder.resolve("data"));
    for (String name : new String[] {"fsync", "synchronous_commit", "full_page_writes"}) {
      builder.setServerConfig(name, name.equals(setting) ? "off" : "on");
    }
    try (EmbeddedPostgres server = builder.start()) {
      String url = "postgres://postgres:postgres@127.0.0.1:" + server.getPort() + "/postgres";
      assertThatThrownBy(() -> BenchPostgres.at(url).close())
          .isInstanceOf(BenchFailure.class)
          .hasMessageContaining(setting + " = off");
    }
  }

  /** The one that the crash suite kills; the library itself would start it without fsync. */
  @Test
  void ourOwnIsDurable() {
    try (BenchPostgres own = BenchPostgres.embedded(folder)) {
      assertThat(own.settings())
          .containsEntry("fsync", "on")
          .containsEntry("synchronous_commit", "on")
          .containsEntry("full_page_writes", "on");
    }
  }
}
