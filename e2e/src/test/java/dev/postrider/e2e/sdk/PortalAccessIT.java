package dev.postrider.e2e.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import com.svix.models.AppPortalAccessIn;
import com.svix.models.AppPortalAccessOut;
import com.svix.models.ApplicationIn;
import com.svix.models.ApplicationTokenExpireIn;
import dev.postrider.testkit.OnEachDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A portal's token reaches one application, for a time, for what it was made for. */
@Timeout(120)
@OnEachDatabase
final class PortalAccessIT extends SdkBehaviour {
  private static final String ENDPOINT = "{\"url\":\"http://127.0.0.1:9/\",\"uid\":\"e\"}";

  private String token(String body) {
    return environment.expect(200, "POST", "/auth/app-portal-access/acme", body).text("/token");
  }

  @Test
  void managesItsOwnApplicationOnly() throws Exception {
    environment.expect(201, "POST", "/app", "{\"name\":\"Other\",\"uid\":\"other\"}");
    AppPortalAccessOut access =
        svix.getAuthentication()
            .appPortalAccess(
                "acme", new AppPortalAccessIn().application(new ApplicationIn().name("Acme")));
    String token = access.getToken();
    assertThat(access.getUrl().toString()).isEqualTo(environment.url() + "/portal#token=" + token);
    assertThat(environment.svix(token).getApplication().get("acme").getName()).isEqualTo("Acme");
    assertThat(environment.callAs(token, "POST", "/app/acme/endpoint", ENDPOINT).status())
        .isEqualTo(201);
    assertThat(environment.callAs(token, "GET", "/app/acme/endpoint/e/secret", null).status())
        .isEqualTo(200);
    assertThat(environment.callAs(token, "GET", "/app/other", null).status()).isEqualTo(404);
    assertThat(environment.callAs(token, "GET", "/app", null).status()).isEqualTo(403);
    assertThat(
            environment
                .callAs(token, "POST", "/app/acme/msg", "{\"eventType\":\"a\",\"payload\":{}}")
                .status())
        .as("messages come from the server's side")
        .isEqualTo(403);
    assertThat(environment.callAs(token, "PATCH", "/app/acme", "{\"name\":\"x\"}").status())
        .isEqualTo(403);
    assertThat(environment.expect(200, "GET", "/auth/api-key", null).json().get("data"))
        .as("no API key of the operator's")
        .hasSize(1);
    assertThat(environment.callAs(token, "POST", "/auth/logout", null).status()).isEqualTo(204);
    assertThat(environment.callAs(token, "GET", "/app/acme", null).status()).isEqualTo(401);
    String older =
        environment.expect(200, "POST", "/auth/dashboard-access/acme", null).text("/token");
    assertThat(environment.callAs(older, "GET", "/app/acme", null).status()).isEqualTo(200);
  }

  @Test
  void doesWhatItsCapabilitiesSay() {
    environment.expect(201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    environment.expect(201, "POST", "/app/acme/endpoint", ENDPOINT);
    String reader = token("{\"readOnly\":true}");
    assertThat(environment.callAs(reader, "GET", "/app/acme/endpoint", null).status())
        .isEqualTo(200);
    assertThat(environment.callAs(reader, "GET", "/app/acme/endpoint/e/secret", null).status())
        .isEqualTo(403);
    assertThat(environment.callAs(reader, "DELETE", "/app/acme/endpoint/e", null).text("/detail"))
        .contains("ManageEndpoint");
    String manager = token("{\"capabilities\":[\"ViewBase\",\"ManageEndpoint\"]}");
    assertThat(
            environment
                .callAs(manager, "PATCH", "/app/acme/endpoint/e", "{\"description\":\"x\"}")
                .status())
        .isEqualTo(200);
    for (String shaping :
        List.of(
            "{\"transform\":\"$\"}",
            "{\"transformEnabled\":false}",
            "{\"onTransformError\":\"send_original\"}",
            "{\"filter\":\"true\"}")) {
      assertThat(
              environment.callAs(manager, "PATCH", "/app/acme/endpoint/e", shaping).text("/detail"))
          .contains("ManageTransformations");
    }
    assertThat(
            environment
                .callAs(manager, "POST", "/app/acme/endpoint/e/secret/rotate", "{}")
                .status())
        .isEqualTo(403);
    assertThat(
            environment
                .call(
                    "POST",
                    "/auth/app-portal-access/acme",
                    "{\"expiry\":5,\"capabilities\":[\"Fly\"],\"sessionId\":\"a b\"}")
                .json()
                .get("detail"))
        .hasSize(3);
    assertThat(environment.call("POST", "/auth/app-portal-access/none", "{}").status())
        .isEqualTo(404);
  }

  @Test
  void seesEventTypesOfItsFeatureFlagsOnly() {
    environment.expect(201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    String type = "{\"name\":\"%s\",\"description\":\"d\",\"featureFlags\":%s}";
    String types = "/app/acme/event-type";
    environment.expect(201, "POST", "/event-type", type.formatted("a.open", "null"));
    environment.expect(201, "POST", "/event-type", type.formatted("b.beta", "[\"be_ta\"]"));
    environment.expect(201, "POST", types, type.formatted("c.both", "[\"other\",\"be_ta\"]"));
    environment.expect(201, "POST", types, type.formatted("d.other", "[\"other\"]"));
    String none = token("{}");
    String beta = token("{\"featureFlags\":[\"be_ta\",\"x\"]}");
    String near = token("{\"featureFlags\":[\"beXta\",\"be_t\"]}");
    assertThat(names(none)).containsExactly("a.open");
    assertThat(names(beta)).containsExactly("a.open", "b.beta", "c.both");
    assertThat(names(near)).containsExactly("a.open");
    assertThat(names(environment.key())).containsExactly("a.open", "b.beta", "c.both", "d.other");
    assertThat(environment.callAs(none, "GET", types + "/c.both", null).status()).isEqualTo(404);
    assertThat(environment.callAs(beta, "GET", types + "/c.both", null).status()).isEqualTo(200);
    assertThat(environment.callAs(beta, "GET", types + "/d.other", null).status()).isEqualTo(404);
  }

  /** Over pages of one, which a hidden type must not cut short. */
  private List<String> names(String token) {
    List<String> names = new ArrayList<>();
    String iterator = "";
    while (true) {
      SdkEnvironment.Answer page =
          environment.callAs(
              token,
              "GET",
              "/app/acme/event-type?limit=1&include_environment=true" + iterator,
              null);
      page.json().get("data").forEach(item -> names.add(item.get("name").asString()));
      if (page.json().get("done").asBoolean()) {
        return names;
      }
      iterator = "&iterator=" + page.text("/iterator");
    }
  }

  @Test
  void allOrSomeEndTogether() throws Exception {
    environment.expect(201, "POST", "/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    String first = token("{\"sessionId\":\"one\"}");
    String second = token("{\"sessionId\":\"two\"}");
    environment.expect(204, "POST", "/auth/app/acme/expire-all", "{\"sessionIds\":[\"one\"]}");
    assertThat(environment.callAs(first, "GET", "/app/acme", null).status()).isEqualTo(401);
    assertThat(environment.callAs(second, "GET", "/app/acme", null).status()).isEqualTo(200);
    svix.getAuthentication().expireAll("acme", new ApplicationTokenExpireIn().expiry(3600L));
    assertThat(environment.callAs(second, "GET", "/app/acme", null).status())
        .as("within an hour")
        .isEqualTo(200);
    environment.expect(204, "POST", "/auth/app/acme/expire-all", "{}");
    assertThat(environment.callAs(second, "GET", "/app/acme", null).status()).isEqualTo(401);
    assertThat(environment.call("GET", "/app/acme", null).status()).isEqualTo(200);
  }
}
