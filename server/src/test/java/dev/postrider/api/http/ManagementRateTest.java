package dev.postrider.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Calls that do not send anything have a rate limit of their own. */
@OnEachDatabase
final class ManagementRateTest {
  private static final String MESSAGE = "{\"eventType\":\"a.b\",\"payload\":{}}";

  @Parameter Databases.Kind kind;
  @TempDir Path folder;
  private Apps apps;
  private App app;

  /** Without the setting, to create what the test needs. */
  @BeforeEach
  void open() {
    apps = new Apps(kind, folder);
    app = apps.start();
    application("acme");
  }

  @AfterEach
  void close() {
    apps.close();
  }

  private void restart(String setting) {
    apps.stop(app);
    app = apps.start(setting);
  }

  private void application(String uid) {
    apps.expect(app, 201, "POST", "/app", "{\"name\":\"%1$s\",\"uid\":\"%1$s\"}".formatted(uid));
  }

  private String key(String fields) {
    return apps.expect(app, 201, "POST", "/auth/api-key", "{\"name\":\"k\"" + fields + "}")
        .text("/token");
  }

  /** Calls until one is refused. */
  private Apps.Answer exhaust(String token, String path) {
    for (int n = 0; n < 1_000; n++) {
      Apps.Answer answer = apps.callAs(app, token, "GET", path, "");
      if (answer.status() == 429) {
        return answer;
      }
    }
    throw new AssertionError("no call was refused");
  }

  @Test
  void aKeyWithTooManyCallsIsRefusedButMaySend() {
    String busy = key("");
    String other = key("");
    restart("MANAGEMENT_RATE=3");
    Apps.Answer refused = exhaust(busy, "/app");
    assertThat(refused.text("/code")).isEqualTo("too_many_requests");
    assertThat(refused.text("/detail")).contains("3 requests per second");
    assertThat(refused.response().headers().firstValue("retry-after")).hasValue("1");
    for (int n = 0; n < 10; n++) {
      assertThat(apps.callAs(app, busy, "POST", "/app/acme/msg", MESSAGE).status()).isEqualTo(202);
    }
    assertThat(
            apps.callAs(
                    app, busy, "POST", "/app/acme/msg/batch", "{\"messages\":[" + MESSAGE + "]}")
                .status())
        .isEqualTo(202);
    assertThat(apps.callAs(app, other, "GET", "/app", "").status()).isEqualTo(200);
  }

  /** A broadcast is a send too. */
  @Test
  void aBroadcastDoesNotCount() {
    String busy = key("");
    apps.expect(app, 201, "POST", "/app/acme/queue", "{\"name\":\"tasks\"}");
    restart("MANAGEMENT_RATE=1");
    for (int n = 0; n < 10; n++) {
      assertThat(apps.callAs(app, busy, "POST", "/msg/broadcast", MESSAGE).status()).isEqualTo(202);
    }
  }

  @Test
  void theKeysAndTokensOfAnApplicationShareItsRate() {
    application("other");
    String busy = key(",\"applicationId\":\"acme\"");
    String neighbor = key(",\"applicationId\":\"other\"");
    List<String> fresh = new ArrayList<>();
    for (int n = 0; n < 5; n++) {
      fresh.add(apps.expect(app, 200, "POST", "/auth/app-portal-access/acme", "{}").text("/token"));
    }
    restart("MANAGEMENT_RATE=3");
    boolean shared = false;
    for (String token : fresh) {
      exhaust(busy, "/app/acme");
      shared |= apps.callAs(app, token, "GET", "/app/acme", "").status() == 429;
    }
    assertThat(shared).isTrue();
    assertThat(apps.callAs(app, neighbor, "GET", "/app/other", "").status()).isEqualTo(200);
  }

  @Test
  void anUnknownKeyIsRefusedAsSuch() {
    restart("MANAGEMENT_RATE=1");
    for (int n = 0; n < 20; n++) {
      assertThat(apps.callAs(app, "sk_nobody", "GET", "/app", "").status()).isEqualTo(401);
    }
  }

  @Test
  void withoutTheSettingThereIsNoLimit() {
    for (int n = 0; n < 50; n++) {
      assertThat(apps.call(app, "GET", "/app/acme", "").status()).isEqualTo(200);
    }
  }
}
