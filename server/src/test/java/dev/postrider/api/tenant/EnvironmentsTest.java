package dev.postrider.api.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Jwts;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import org.junit.jupiter.api.Test;

/** Several worlds on one server. */
@OnEachDatabase
final class EnvironmentsTest extends CallsBehaviour {
  private static final String ALL = "/api/v1/environments";

  private String key(String environment) {
    return expect(201, "POST", ALL + "/" + environment + "/api-key", "{\"name\":\"k\"}")
        .text("/token");
  }

  @Test
  void anEnvironmentIsMadeChangedAndListed() {
    String staging = expect(201, "POST", ALL, "{\"name\":\"Staging\"}").text("/id");
    assertThat(staging).startsWith("env_");
    expect(201, "POST", ALL, "{\"name\":\"Strict\",\"strictEventTypes\":true}");
    assertThat(expect(200, "GET", ALL + "/" + staging, "").text("/name")).isEqualTo("Staging");
    expect(200, "PATCH", ALL + "/" + staging, "{\"name\":\"Next\"}");
    Answer first = expect(200, "GET", ALL + "?limit=2", "");
    Answer rest = expect(200, "GET", ALL + "?limit=2&iterator=" + first.text("/iterator"), "");
    assertThat(first.json().get("data").size() + rest.json().get("data").size()).isEqualTo(3);
    assertThat(as(key(staging), 200, "GET", "/api/v1/environment", "").text("/name"))
        .isEqualTo("Next");
    expect(404, "GET", ALL + "/env_none", "");
    expect(404, "POST", ALL + "/env_none/api-key", "{\"name\":\"k\"}");
    expect(422, "POST", ALL, "{}");
    expect(422, "POST", ALL, "{\"name\":\"x\",\"strictEventTypes\":null}");
    assertThat(expect(200, "GET", "/api/v1/audit?action=environment.create", "").json().get("data"))
        .hasSize(2);
  }

  @Test
  void anEnvironmentHasARetryPolicyAndARetention() {
    String id = expect(201, "POST", ALL, "{\"name\":\"S\",\"retryPolicy\":\"1s, 2m\"}").text("/id");
    String one = ALL + "/" + id;
    assertThat(expect(200, "GET", one, "").text("/retryPolicy")).isEqualTo("1s,2m");
    assertThat(expect(200, "GET", one, "").json().at("/retention/deliveredHours").isNull())
        .isTrue();

    expect(200, "PATCH", one, "{\"retention\":{\"deliveredHours\":12,\"deadLetterHours\":48}}");
    Answer kept = expect(200, "PATCH", one, "{\"strictEventTypes\":true}");
    assertThat(kept.text("/retryPolicy")).isEqualTo("1s,2m");
    assertThat(kept.json().at("/retention/deliveredHours").asInt()).isEqualTo(12);
    assertThat(kept.json().at("/retention/deadLetterHours").asInt()).isEqualTo(48);

    Answer bad = expect(422, "PATCH", one, "{\"retryPolicy\":\"5\"}");
    assertThat(bad.text("/detail/0/loc/1")).isEqualTo("retryPolicy");
    Answer tooFew = expect(422, "PATCH", one, "{\"retention\":{\"deliveredHours\":0}}");
    assertThat(tooFew.json().toString()).contains("deliveredHours");
    Answer none = expect(200, "PATCH", one, "{\"retryPolicy\":null,\"retention\":null}");
    assertThat(none.json().get("retryPolicy").isNull()).isTrue();
    assertThat(none.json().at("/retention/deliveredHours").isNull()).isTrue();
    assertThat(none.json().get("strictEventTypes").asBoolean()).isTrue();
    Answer audited = as(key(id), 200, "GET", "/api/v1/audit?action=environment.update", "");
    assertThat(audited.json().get("data"))
        .as("each change is written down where it holds, and no refusal is")
        .hasSize(3);
    assertThat(audited.text("/data/0/objectId")).isEqualTo(id);
    assertThat(expect(200, "GET", "/api/v1/audit?action=environment.update", "").json().get("data"))
        .isEmpty();
  }

  /** Engine rule 26. */
  @Test
  void aNumberOfRetriesAndAScheduleAreCutToTheShorter() {
    String policy =
        "{\"name\":\"S\",\"retryPolicy\":{\"maxRetries\":%s,\"backoffSchedule\":[5,90]}}";
    assertThat(expect(201, "POST", ALL, policy.formatted("7")).text("/retryPolicy"))
        .isEqualTo("5s,90s");
    assertThat(expect(201, "POST", ALL, policy.formatted("1")).text("/retryPolicy"))
        .isEqualTo("5s");
    assertThat(expect(201, "POST", ALL, policy.formatted("null")).text("/retryPolicy"))
        .isEqualTo("5s,90s");
  }

  @Test
  void keysDoNotCross() {
    String staging = expect(201, "POST", ALL, "{\"name\":\"Staging\"}").text("/id");
    String there = key(staging);
    String here =
        expect(201, "POST", "/api/v1/app", "{\"name\":\"H\",\"uid\":\"acme\"}").text("/id");
    String other =
        as(there, 201, "POST", "/api/v1/app", "{\"name\":\"T\",\"uid\":\"acme\"}").text("/id");
    assertThat(expect(200, "GET", "/api/v1/app/acme", "").text("/name")).isEqualTo("H");
    assertThat(as(there, 200, "GET", "/api/v1/app/acme", "").text("/name")).isEqualTo("T");
    as(there, 404, "GET", "/api/v1/app/" + here, "");
    expect(404, "GET", "/api/v1/app/" + other, "");
    as(there, 404, "DELETE", "/api/v1/app/" + here, "");
    as(there, 201, "POST", "/api/v1/event-type", "{\"name\":\"a\",\"description\":\"\"}");
    expect(404, "GET", "/api/v1/event-type/a", "");
    String keyThere = as(there, 200, "GET", "/api/v1/auth/api-key", "").text("/data/0/id");
    expect(404, "DELETE", "/api/v1/auth/api-key/" + keyThere, "");
    as(there, 200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":true}");
    assertThat(
            expect(200, "GET", "/api/v1/environment", "")
                .json()
                .get("strictEventTypes")
                .asBoolean())
        .isFalse();
  }

  @Test
  void onlyTheOperatorReachesAll() {
    String staging = expect(201, "POST", ALL, "{\"name\":\"Staging\"}").text("/id");
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
    expect(202, "POST", "/api/v1/prune", "");
  }
}
