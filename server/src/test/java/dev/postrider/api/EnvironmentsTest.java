package dev.postrider.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.ApiFixture.Answer;
import dev.postrider.testkit.Jwts;
import dev.postrider.testkit.OnEachDatabase;
import org.junit.jupiter.api.Test;

/** Several worlds on one server. */
@OnEachDatabase
final class EnvironmentsTest extends CallsBehaviour {
  private static final String ALL = "/api/v1/environments";

  private String key(String environment) {
    return ok(201, "POST", ALL + "/" + environment + "/api-key", "{\"name\":\"k\"}").text("/token");
  }

  @Test
  void anEnvironmentIsMadeChangedAndListed() {
    String staging = ok(201, "POST", ALL, "{\"name\":\"Staging\"}").text("/id");
    assertThat(staging).startsWith("env_");
    ok(201, "POST", ALL, "{\"name\":\"Strict\",\"strictEventTypes\":true}");
    assertThat(ok(200, "GET", ALL + "/" + staging, "").text("/name")).isEqualTo("Staging");
    ok(200, "PATCH", ALL + "/" + staging, "{\"name\":\"Next\"}");
    Answer first = ok(200, "GET", ALL + "?limit=2", "");
    Answer rest = ok(200, "GET", ALL + "?limit=2&iterator=" + first.text("/iterator"), "");
    assertThat(first.json().get("data").size() + rest.json().get("data").size()).isEqualTo(3);
    assertThat(as(key(staging), 200, "GET", "/api/v1/environment", "").text("/name"))
        .isEqualTo("Next");
    ok(404, "GET", ALL + "/env_none", "");
    ok(404, "POST", ALL + "/env_none/api-key", "{\"name\":\"k\"}");
    ok(422, "POST", ALL, "{}");
    ok(422, "POST", ALL, "{\"name\":\"x\",\"strictEventTypes\":null}");
    assertThat(ok(200, "GET", "/api/v1/audit?action=environment.create", "").json().get("data"))
        .hasSize(2);
  }

  @Test
  void anEnvironmentHasARetryPolicyAndARetention() {
    String id = ok(201, "POST", ALL, "{\"name\":\"S\",\"retryPolicy\":\"1s, 2m\"}").text("/id");
    String one = ALL + "/" + id;
    assertThat(ok(200, "GET", one, "").text("/retryPolicy")).isEqualTo("1s,2m");
    assertThat(ok(200, "GET", one, "").json().at("/retention/deliveredHours").isNull()).isTrue();

    ok(200, "PATCH", one, "{\"retention\":{\"deliveredHours\":12,\"deadLetterHours\":48}}");
    Answer kept = ok(200, "PATCH", one, "{\"strictEventTypes\":true}");
    assertThat(kept.text("/retryPolicy")).isEqualTo("1s,2m");
    assertThat(kept.json().at("/retention/deliveredHours").asInt()).isEqualTo(12);
    assertThat(kept.json().at("/retention/deadLetterHours").asInt()).isEqualTo(48);

    Answer bad = ok(422, "PATCH", one, "{\"retryPolicy\":\"5\"}");
    assertThat(bad.text("/detail/0/loc/1")).isEqualTo("retryPolicy");
    Answer tooFew = ok(422, "PATCH", one, "{\"retention\":{\"deliveredHours\":0}}");
    assertThat(tooFew.json().toString()).contains("deliveredHours");
    Answer none = ok(200, "PATCH", one, "{\"retryPolicy\":null,\"retention\":null}");
    assertThat(none.json().get("retryPolicy").isNull()).isTrue();
    assertThat(none.json().at("/retention/deliveredHours").isNull()).isTrue();
    assertThat(none.json().get("strictEventTypes").asBoolean()).isTrue();
    Answer audited = as(key(id), 200, "GET", "/api/v1/audit?action=environment.update", "");
    assertThat(audited.json().get("data"))
        .as("each change is written down where it holds, and no refusal is")
        .hasSize(3);
    assertThat(audited.text("/data/0/objectId")).isEqualTo(id);
    assertThat(ok(200, "GET", "/api/v1/audit?action=environment.update", "").json().get("data"))
        .isEmpty();
  }

  /** Engine rule 26. */
  @Test
  void aNumberOfRetriesAndAScheduleAreCutToTheShorter() {
    String policy =
        "{\"name\":\"S\",\"retryPolicy\":{\"maxRetries\":%s,\"backoffSchedule\":[5,90]}}";
    assertThat(ok(201, "POST", ALL, policy.formatted("7")).text("/retryPolicy"))
        .isEqualTo("5s,90s");
    assertThat(ok(201, "POST", ALL, policy.formatted("1")).text("/retryPolicy")).isEqualTo("5s");
    assertThat(ok(201, "POST", ALL, policy.formatted("null")).text("/retryPolicy"))
        .isEqualTo("5s,90s");
  }

  @Test
  void keysDoNotCross() {
    String staging = ok(201, "POST", ALL, "{\"name\":\"Staging\"}").text("/id");
    String there = key(staging);
    String here = ok(201, "POST", "/api/v1/app", "{\"name\":\"H\",\"uid\":\"acme\"}").text("/id");
    String other =
        as(there, 201, "POST", "/api/v1/app", "{\"name\":\"T\",\"uid\":\"acme\"}").text("/id");
    assertThat(ok(200, "GET", "/api/v1/app/acme", "").text("/name")).isEqualTo("H");
    assertThat(as(there, 200, "GET", "/api/v1/app/acme", "").text("/name")).isEqualTo("T");
    as(there, 404, "GET", "/api/v1/app/" + here, "");
    ok(404, "GET", "/api/v1/app/" + other, "");
    as(there, 404, "DELETE", "/api/v1/app/" + here, "");
    as(there, 201, "POST", "/api/v1/event-type", "{\"name\":\"a\",\"description\":\"\"}");
    ok(404, "GET", "/api/v1/event-type/a", "");
    String keyThere = as(there, 200, "GET", "/api/v1/auth/api-key", "").text("/data/0/id");
    ok(404, "DELETE", "/api/v1/auth/api-key/" + keyThere, "");
    as(there, 200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":true}");
    assertThat(ok(200, "GET", "/api/v1/environment", "").json().get("strictEventTypes").asBoolean())
        .isFalse();
  }

  @Test
  void onlyTheOperatorReachesAll() {
    String staging = ok(201, "POST", ALL, "{\"name\":\"Staging\"}").text("/id");
    String jwt = Jwts.hs256("{\"sub\":\"org_23rb8YdGqMT0qIzpgGwdXfHirMu\"}");
    for (String token : new String[] {key(staging), jwt}) {
      as(token, 403, "GET", ALL, "");
      as(token, 403, "POST", ALL, "{\"name\":\"x\"}");
      as(token, 403, "GET", ALL + "/" + staging, "");
      as(token, 403, "PATCH", ALL + "/env_default", "{\"name\":\"x\"}");
      as(token, 403, "POST", ALL + "/env_default/api-key", "{\"name\":\"x\"}");
      as(token, 403, "POST", "/api/v1/prune", "");
      as(token, 403, "GET", "/api/v1/prune", "");
    }
    ok(202, "POST", "/api/v1/prune", "");
  }
}
