package dev.postrider.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.TestEngine;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real PostgreSQL is stopped and started again under a server that receives. */
@Timeout(240)
class ReceivingWithoutDatabaseTest {
  @TempDir Path folder;

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private EmbeddedPostgres postgres(int port) throws IOException {
    return EmbeddedPostgres.builder()
        .setPort(port)
        .setDataDirectory(folder.resolve("postgres"))
        .setCleanDataDirectory(false)
        .start();
  }

  @Test
  void sourcesAnswer503WithoutTheDatabaseAndRecover() throws Exception {
    int port = freePort();
    EmbeddedPostgres database = postgres(port);
    try (GatewayFixture gateway =
        new GatewayFixture(Databases.Kind.SQLITE, folder.resolve("data"))) {
      App app =
          gateway.start(
              "DATABASE_URL=postgres://postgres@127.0.0.1:" + port + "/postgres",
              "DATABASE_POOL_SIZE=4",
              "HEARTBEAT=200ms",
              "DEAD_AFTER=2s");
      gateway.api(
          201,
          app,
          "POST",
          "/source",
          "{\"name\":\"github\",\"verify\":\"github\",\"secret\":\"s3cret\"}");
      Set<String> accepted = new HashSet<>();
      accepted.add(taken(send(gateway, app, 0)));

      database.close();
      for (int n = 1; n <= 2; n++) {
        Answer away = send(gateway, app, n);
        assertThat(away.status()).as(away.response().body()).isEqualTo(503);
        assertThat(Integer.parseInt(away.header("retry-after"))).isPositive();
        assertThat(gateway.github(app, "github", "wrong", "x", "{}").status())
            .as("judged without the database")
            .isEqualTo(401);
        Answer unknown = gateway.in(app, "nobody", "{}");
        assertThat(unknown.status()).as("only the database could tell").isEqualTo(503);
        assertThat(unknown.header("retry-after")).isNotEmpty();
      }

      database = postgres(port);
      gateway.await(
          "it takes messages again",
          () -> {
            Answer answer = send(gateway, app, 1);
            assertThat(answer.status()).isIn(200, 503);
            return answer.status() == 200 && accepted.add(answer.text("/id"));
          });
      for (int n = 2; n <= 2; n++) {
        accepted.add(taken(send(gateway, app, n)));
      }
      assertThat(accepted).as("each event is one message").hasSize(3);
      assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isEqualTo(3);
      assertThat(gateway.in(app, "nobody", "{}").status()).isEqualTo(404);
    } finally {
      database.close();
    }
  }

  private static Answer send(GatewayFixture gateway, App app, int event) {
    return gateway.github(app, "github", "s3cret", "delivery-" + event, "{\"n\":" + event + "}");
  }

  private static String taken(Answer answer) {
    assertThat(answer.status()).as(answer.response().body()).isEqualTo(200);
    return answer.text("/id");
  }
}
