package dev.postrider.api.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import com.svix.Svix;
import com.svix.SvixOptions;
import com.svix.models.AppPortalAccessIn;
import com.svix.models.AppPortalAccessOut;
import com.svix.models.ApplicationIn;
import com.svix.models.ApplicationTokenExpireIn;
import dev.postrider.app.App;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A portal's token reaches one application, for a time, for what it was made for. */
@Timeout(120)
final class PortalAccessTest {
  private static final String ENDPOINT = "{\"url\":\"http://127.0.0.1:9/\",\"uid\":\"e\"}";

  @TempDir Path folder;

  private static Svix client(App app, String token) {
    SvixOptions options = new SvixOptions();
    options.setServerUrl("http://127.0.0.1:" + app.port());
    return new Svix(token, options);
  }

  private static String token(Apps apps, App app, String body) {
    return apps.expect(app, 200, "POST", "/auth/app-portal-access/acme", body).text("/token");
  }

  @ParameterizedTest
  @EnumSource
  void managesItsOwnApplicationOnly(Databases.Kind kind) throws Exception {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
      AppPortalAccessOut access =
          client(app, Apps.KEY)
              .getAuthentication()
              .appPortalAccess(
                  "acme", new AppPortalAccessIn().application(new ApplicationIn().name("Acme")));
      String token = access.getToken();
      assertThat(access.getUrl().toString()).isEqualTo(app.url() + "/portal#token=" + token);
      assertThat(client(app, token).getApplication().get("acme").getName()).isEqualTo("Acme");
      assertThat(apps.callAs(app, token, "POST", "/app/acme/endpoint", ENDPOINT).status())
          .isEqualTo(201);
      assertThat(apps.callAs(app, token, "GET", "/app/acme/endpoint/e/secret", "").status())
          .isEqualTo(200);
      assertThat(apps.callAs(app, token, "GET", "/app/other", "").status()).isEqualTo(404);
      assertThat(apps.callAs(app, token, "GET", "/app", "").status()).isEqualTo(403);
      assertThat(
              apps.callAs(
                      app, token, "POST", "/app/acme/msg", "{\"eventType\":\"a\",\"payload\":{}}")
                  .status())
          .as("messages come from the server's side")
          .isEqualTo(403);
      assertThat(apps.callAs(app, token, "PATCH", "/app/acme", "{\"name\":\"x\"}").status())
          .isEqualTo(403);
      assertThat(apps.expect(app, 200, "GET", "/auth/api-key", "").json().get("data"))
          .as("no API key of the operator's")
          .hasSize(1);
      assertThat(apps.callAs(app, token, "POST", "/auth/logout", "").status()).isEqualTo(204);
      assertThat(apps.callAs(app, token, "GET", "/app/acme", "").status()).isEqualTo(401);
      String older =
          apps.expect(app, 200, "POST", "/auth/dashboard-access/acme", "").text("/token");
      assertThat(apps.callAs(app, older, "GET", "/app/acme", "").status()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @EnumSource
  void doesWhatItsCapabilitiesSay(Databases.Kind kind) {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      apps.expect(app, 201, "POST", "/app/acme/endpoint", ENDPOINT);
      String reader = token(apps, app, "{\"readOnly\":true}");
      assertThat(apps.callAs(app, reader, "GET", "/app/acme/endpoint", "").status()).isEqualTo(200);
      assertThat(apps.callAs(app, reader, "GET", "/app/acme/endpoint/e/secret", "").status())
          .isEqualTo(403);
      assertThat(apps.callAs(app, reader, "DELETE", "/app/acme/endpoint/e", "").text("/detail"))
          .contains("ManageEndpoint");
      String manager = token(apps, app, "{\"capabilities\":[\"ViewBase\",\"ManageEndpoint\"]}");
      assertThat(
              apps.callAs(app, manager, "PATCH", "/app/acme/endpoint/e", "{\"description\":\"x\"}")
                  .status())
          .isEqualTo(200);
      for (String shaping :
          List.of(
              "{\"transform\":\"$\"}",
              "{\"transformEnabled\":false}",
              "{\"onTransformError\":\"send_original\"}",
              "{\"filter\":\"true\"}")) {
        assertThat(
                apps.callAs(app, manager, "PATCH", "/app/acme/endpoint/e", shaping).text("/detail"))
            .contains("ManageTransformations");
      }
      assertThat(
              apps.callAs(app, manager, "POST", "/app/acme/endpoint/e/secret/rotate", "{}")
                  .status())
          .isEqualTo(403);
      assertThat(
              apps.call(
                      app,
                      "POST",
                      "/auth/app-portal-access/acme",
                      "{\"expiry\":5,\"capabilities\":[\"Fly\"],\"sessionId\":\"a b\"}")
                  .json()
                  .get("detail"))
          .hasSize(3);
      assertThat(apps.call(app, "POST", "/auth/app-portal-access/none", "{}").status())
          .isEqualTo(404);
    }
  }

  @ParameterizedTest
  @EnumSource
  void seesEventTypesOfItsFeatureFlagsOnly(Databases.Kind kind) {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      String type = "{\"name\":\"%s\",\"description\":\"d\",\"featureFlags\":%s}";
      String types = "/app/acme/event-type";
      apps.expect(app, 201, "POST", "/event-type", type.formatted("a.open", "null"));
      apps.expect(app, 201, "POST", "/event-type", type.formatted("b.beta", "[\"be_ta\"]"));
      apps.expect(app, 201, "POST", types, type.formatted("c.both", "[\"other\",\"be_ta\"]"));
      apps.expect(app, 201, "POST", types, type.formatted("d.other", "[\"other\"]"));
      String none = token(apps, app, "{}");
      String beta = token(apps, app, "{\"featureFlags\":[\"be_ta\",\"x\"]}");
      String near = token(apps, app, "{\"featureFlags\":[\"beXta\",\"be_t\"]}");
      assertThat(names(apps, app, none)).containsExactly("a.open");
      assertThat(names(apps, app, beta)).containsExactly("a.open", "b.beta", "c.both");
      assertThat(names(apps, app, near)).containsExactly("a.open");
      assertThat(names(apps, app, Apps.KEY))
          .containsExactly("a.open", "b.beta", "c.both", "d.other");
      assertThat(apps.callAs(app, none, "GET", types + "/c.both", "").status()).isEqualTo(404);
      assertThat(apps.callAs(app, beta, "GET", types + "/c.both", "").status()).isEqualTo(200);
      assertThat(apps.callAs(app, beta, "GET", types + "/d.other", "").status()).isEqualTo(404);
    }
  }

  /** Over pages of one, which a hidden type must not cut short. */
  private static List<String> names(Apps apps, App app, String token) {
    List<String> names = new ArrayList<>();
    String iterator = "";
    while (true) {
      Apps.Answer page =
          apps.callAs(
              app,
              token,
              "GET",
              "/app/acme/event-type?limit=1&include_environment=true" + iterator,
              "");
      page.json().get("data").forEach(item -> names.add(item.get("name").asString()));
      if (page.json().get("done").asBoolean()) {
        return names;
      }
      iterator = "&iterator=" + page.text("/iterator");
    }
  }

  @ParameterizedTest
  @EnumSource
  void allOrSomeEndTogether(Databases.Kind kind) throws Exception {
    try (Apps apps = new Apps(kind, folder)) {
      App app = apps.start();
      apps.expect(app, 201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
      String first = token(apps, app, "{\"sessionId\":\"one\"}");
      String second = token(apps, app, "{\"sessionId\":\"two\"}");
      apps.expect(app, 204, "POST", "/auth/app/acme/expire-all", "{\"sessionIds\":[\"one\"]}");
      assertThat(apps.callAs(app, first, "GET", "/app/acme", "").status()).isEqualTo(401);
      assertThat(apps.callAs(app, second, "GET", "/app/acme", "").status()).isEqualTo(200);
      client(app, Apps.KEY)
          .getAuthentication()
          .expireAll("acme", new ApplicationTokenExpireIn().expiry(3600L));
      assertThat(apps.callAs(app, second, "GET", "/app/acme", "").status())
          .as("within an hour")
          .isEqualTo(200);
      apps.expect(app, 204, "POST", "/auth/app/acme/expire-all", "{}");
      assertThat(apps.callAs(app, second, "GET", "/app/acme", "").status()).isEqualTo(401);
      assertThat(apps.call(app, "GET", "/app/acme", "").status()).isEqualTo(200);
    }
  }
}
