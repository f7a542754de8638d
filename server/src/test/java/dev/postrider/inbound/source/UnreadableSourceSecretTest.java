package dev.postrider.inbound.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.GatewayFixture;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.KmsStandIn;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A source whose secret cannot be read for now. */
@Timeout(240)
class UnreadableSourceSecretTest {
  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void withoutTheKmsSendersAreAskedToRetry(Databases.Kind kind) throws Exception {
    try (KmsStandIn kms = new KmsStandIn();
        GatewayFixture gateway = new GatewayFixture(kind, folder)) {
      String[] key = {
        "MASTER_KEY=vault://transit/postrider",
        "env:VAULT_ADDR=" + kms.url(),
        "env:VAULT_TOKEN=" + KmsStandIn.TOKEN
      };
      App before = gateway.start(key);
      gateway.api(
          201,
          before,
          "POST",
          "/source",
          "{\"name\":\"github\",\"verify\":\"github\",\"secret\":\"s3cret\"}");
      gateway.stop(before);
      kms.away(true);
      App app = gateway.start(key); // remembers no data key

      Answer away = gateway.github(app, "github", "s3cret", "d1", "{}");
      assertThat(away.status()).as(away.response().body()).isEqualTo(503);
      assertThat(Integer.parseInt(away.header("retry-after"))).isPositive();
      assertThat(gateway.in(app, "nobody", "{}").status()).isEqualTo(404);
      assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isZero();

      kms.away(false);
      gateway.await(
          "it is open again",
          () -> {
            int status = gateway.github(app, "github", "s3cret", "d1", "{}").status();
            assertThat(status).isIn(200, 503);
            return status == 200;
          });
      assertThat(gateway.github(app, "github", "wrong", "d2", "{}").status()).isEqualTo(401);
      assertThat(Engines.count(TestEngine.of(app.engine()), "messages")).isEqualTo(1);
    }
  }
}
