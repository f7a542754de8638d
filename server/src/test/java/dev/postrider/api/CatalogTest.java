package dev.postrider.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.ApiFixture.Answer;
import dev.postrider.json.Json;
import dev.postrider.tenant.ApiKey.Role;
import dev.postrider.testkit.OnEachDatabase;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What event types decide about messages, on both databases. */
@OnEachDatabase
final class CatalogTest extends CallsBehaviour {
  private static final String TYPES = "/api/v1/event-type";
  private static final String OWN = "/api/v1/app/acme/event-type";
  private static final String SCHEMA =
      """
      {"1": {"type": "string"},
       "10": {"type": "object", "required": ["amount"],
              "properties": {"amount": {"type": "integer", "minimum": 1},
                             "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}}}},
       "2": {"type": "array"}}
      """;

  @BeforeEach
  void open() {
    ok(201, "POST", "/api/v1/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    ok(201, "POST", "/api/v1/app", "{\"name\":\"Beta\",\"uid\":\"beta\"}");
  }

  private Answer send(int status, String app, String type, String payload) {
    return ok(
        status,
        "POST",
        "/api/v1/app/" + app + "/msg",
        "{\"eventType\":\"%s\",\"payload\":%s}".formatted(type, payload));
  }

  @Test
  void aStrictEnvironmentRefusesUnknownAndArchivedTypes() {
    send(202, "acme", "nobody.knows", "{}");
    Answer patched = ok(200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":true}");
    assertThat(patched.json().get("strictEventTypes").asBoolean()).isTrue();
    Answer refused = send(422, "acme", "nobody.knows", "{}");
    assertThat(refused.text("/detail/0/loc/1")).isEqualTo("eventType");
    assertThat(refused.text("/detail/0/msg")).contains("nobody.knows", "strict", "POST /api/v1");
    ok(201, "POST", TYPES, "{\"name\":\"nobody.knows\",\"description\":\"now known\"}");
    send(202, "acme", "nobody.knows", "{}");
    ok(204, "DELETE", TYPES + "/nobody.knows", "");
    assertThat(send(422, "acme", "nobody.knows", "{}").text("/detail/0/msg")).contains("archived");
    assertThat(ok(200, "GET", TYPES, "").json().get("data")).isEmpty();
    assertThat(ok(200, "GET", TYPES + "?include_archived=true", "").text("/data/0/name"))
        .isEqualTo("nobody.knows");
    ok(200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":false,\"name\":\"Staging\"}");
    send(202, "acme", "nobody.knows", "{}");
    assertThat(ok(200, "GET", "/api/v1/environment", "").text("/name")).isEqualTo("Staging");
    assertThat(api.acceptor.accepted).hasSize(3);
  }

  @Test
  void aDryRunIsRefusedLikeTheSend() {
    ok(201, "POST", TYPES, type("invoice.paid", SCHEMA, "enforce"));
    assertThat(dryRun(200, "invoice.paid", "{\"amount\":1}").json().has("warnings")).isFalse();
    assertThat(dryRun(422, "invoice.paid", "{\"amount\":0}").json())
        .isEqualTo(send(422, "acme", "invoice.paid", "{\"amount\":0}").json());
    ok(200, "PATCH", TYPES + "/invoice.paid", "{\"schemaCheck\":\"warn\"}");
    assertThat(dryRun(200, "invoice.paid", "{\"amount\":0}").text("/warnings/0/loc/2"))
        .isEqualTo("amount");
    dryRun(200, "nobody.knows", "{}");
    ok(200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":true}");
    assertThat(dryRun(422, "nobody.knows", "{}").json())
        .isEqualTo(send(422, "acme", "nobody.knows", "{}").json());
    ok(200, "PATCH", "/api/v1/app/acme", "{\"active\":false}");
    assertThat(dryRun(403, "invoice.paid", "{\"amount\":1}").json())
        .isEqualTo(send(403, "acme", "invoice.paid", "{\"amount\":1}").json());
    assertThat(api.acceptor.accepted).as("nothing was sent").isEmpty();
  }

  private Answer dryRun(int status, String type, String payload) {
    return ok(
        status,
        "POST",
        "/api/v1/app/acme/msg?dryRun=true",
        "{\"eventType\":\"%s\",\"payload\":%s}".formatted(type, payload));
  }

  @Test
  void anEnforcedSchemaNamesTheFailingPaths() {
    ok(201, "POST", TYPES, type("invoice.paid", SCHEMA, "enforce"));
    send(202, "acme", "invoice.paid", "{\"amount\":1}");
    Answer refused = send(422, "acme", "invoice.paid", "{\"amount\":0,\"lines\":[{},{\"sku\":5}]}");
    List<String> places =
        refused
            .json()
            .get("detail")
            .valueStream()
            .map(p -> String.join("/", p.get("loc").valueStream().map(JsonNode::asString).toList()))
            .toList();
    assertThat(places).containsExactlyInAnyOrder("body/payload/amount", "body/payload/lines/1/sku");
    send(422, "acme", "invoice.paid", "{}");
    assertThat(api.acceptor.accepted).as("nothing refused was accepted").hasSize(1);

    Answer raw =
        ok(
            422,
            "POST",
            "/api/v1/app/acme/msg",
            """
            {"eventType":"invoice.paid","payload":{},
             "transformationsParams":{"rawPayload":"<x/>","headers":{"content-type":"text/xml"}}}
            """);
    assertThat(raw.text("/detail/0/msg")).contains("must be JSON");
    ok(
        202,
        "POST",
        "/api/v1/app/acme/msg",
        """
        {"eventType":"invoice.paid","payload":{},"transformationsParams":{"rawPayload":"{\\"amount\\":7}"}}
        """);

    ok(200, "PATCH", TYPES + "/invoice.paid", "{\"schemaCheck\":\"warn\"}");
    Answer warned =
        ok(
            202,
            "POST",
            "/api/v1/app/acme/msg",
            "{\"eventType\":\"invoice.paid\",\"payload\":{\"amount\":0}}");
    assertThat(warned.json().at("/warnings/0/loc").toString())
        .isEqualTo("[\"body\",\"payload\",\"amount\"]");
    assertThat(warned.json().at("/payload/amount").asInt()).as("it stands beside").isZero();
    Answer batch =
        ok(
            202,
            "POST",
            "/api/v1/app/acme/msg/batch",
            """
            {"messages":[{"eventType":"invoice.paid","payload":{"amount":0}},
                         {"eventType":"invoice.paid","payload":{"amount":7}}]}
            """);
    assertThat(batch.text("/data/0/warnings/0/loc/2")).isEqualTo("amount");
    assertThat(batch.json().at("/data/1").has("warnings")).as("it fits").isFalse();
    ok(200, "PATCH", TYPES + "/invoice.paid", "{\"schemaCheck\":\"enforce\"}");
    send(422, "acme", "invoice.paid", "{\"amount\":0}");
    ok(200, "PATCH", TYPES + "/invoice.paid", "{\"schemas\":{\"11\":{\"type\":\"object\"}}}");
    send(202, "acme", "invoice.paid", "{\"amount\":0}");
    Answer put =
        ok(200, "PUT", TYPES + "/invoice.paid", "{\"description\":\"d\",\"schemas\":{\"1\":{}}}");
    assertThat(put.text("/schemaCheck")).as("not Svix's to replace").isEqualTo("enforce");
    Answer without = ok(422, "PUT", TYPES + "/invoice.paid", "{\"description\":\"d\"}");
    assertThat(without.text("/detail/0/loc/1")).isEqualTo("schemas");
  }

  private static String type(String name, String schemas, String check) {
    return "{\"name\":\"%s\",\"description\":\"d\",\"schemas\":%s,\"schemaCheck\":\"%s\"}"
        .formatted(name, schemas, check);
  }

  @Test
  void aBatchRefusesOnlyWhatDoesNotFit() {
    ok(201, "POST", TYPES, type("invoice.paid", SCHEMA, "enforce"));
    Answer batch =
        ok(
            202,
            "POST",
            "/api/v1/app/acme/msg/batch",
            """
            {"messages":[{"eventType":"invoice.paid","payload":{"amount":1}},
                         {"eventType":"invoice.paid","payload":{"amount":"x"}},
                         {"eventType":"other","payload":{}}]}
            """);
    assertThat(batch.json().at("/data/0/status").asInt()).isEqualTo(202);
    assertThat(batch.json().at("/data/1/status").asInt()).isEqualTo(422);
    assertThat(batch.text("/data/1/error/detail/0/loc/2")).isEqualTo("amount");
    assertThat(batch.json().at("/data/2/status").asInt()).isEqualTo(202);
    assertThat(api.acceptor.accepted).hasSize(2);
  }

  @Test
  void anApplicationsOwnTypeShadowsTheEnvironments() {
    ok(201, "POST", TYPES, type("invoice.paid", SCHEMA, "enforce"));
    ok(201, "POST", TYPES, "{\"name\":\"plain\",\"description\":\"d\"}");
    Answer own =
        ok(201, "POST", OWN, type("invoice.paid", "{\"1\":{\"required\":[\"total\"]}}", "enforce"));
    assertThat(own.text("/scope")).isEqualTo("application");
    ok(409, "POST", OWN, "{\"name\":\"invoice.paid\",\"description\":\"d\"}");
    send(202, "acme", "invoice.paid", "{\"total\":1}");
    send(422, "acme", "invoice.paid", "{\"amount\":1}");
    send(202, "beta", "invoice.paid", "{\"amount\":1}");
    send(422, "beta", "invoice.paid", "{\"total\":1}");

    assertThat(names(OWN)).containsExactly("invoice.paid");
    assertThat(names(OWN + "?include_environment=true")).containsExactly("invoice.paid", "plain");
    assertThat(names(OWN + "?include_environment=true&limit=1")).containsExactly("invoice.paid");
    assertThat(ok(200, "GET", OWN + "?include_environment=true", "").text("/data/0/scope"))
        .isEqualTo("application");
    assertThat(names("/api/v1/app/beta/event-type")).isEmpty();
    ok(404, "GET", OWN + "/plain", "");
    ok(200, "PATCH", OWN + "/invoice.paid", "{\"deprecated\":true}");
    ok(201, "PUT", OWN + "/second", "{\"description\":\"d\"}");

    String token = api.key(api.stores.application("beta").id(), Role.FULL);
    assertThat(api.callAs(token, "GET", OWN, null).status()).isEqualTo(404);
    assertThat(api.callAs(token, "GET", "/api/v1/app/beta/event-type", null).status())
        .isEqualTo(200);
    assertThat(api.callAs(token, "GET", TYPES, null).status()).isEqualTo(403);
    assertThat(api.callAs(token, "GET", "/api/v1/environment", null).status()).isEqualTo(403);

    ok(204, "DELETE", OWN + "/invoice.paid?expunge=true", "");
    send(202, "acme", "invoice.paid", "{\"amount\":1}");
  }

  private List<String> names(String path) {
    return ok(200, "GET", path, "")
        .json()
        .get("data")
        .valueStream()
        .map(item -> item.get("name").asString())
        .toList();
  }

  @Test
  void aSchemaThatCannotBeUsedIsRefused() {
    for (String schema :
        List.of(
            "{\"type\":\"nonsense\"}",
            "{\"$ref\":\"https://example.com/schema.json\"}",
            "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/missing\"}}}",
            "{\"properties\":{\"a\":{\"$ref\":\"classpath:/db/sqlite/V001__schema.sql\"}}}",
            "{\"properties\":{\"a\":{\"pattern\":\"(\"}}}",
            "{\"properties\":{\"a\":{\"pattern\":\"(?=a)b\"}}}",
            "{\"patternProperties\":{\"(a)\\\\1\":{}}}",
            "{\"$schema\":\"https://example.com/dialect\"}")) {
      String versions = "{\"1\":" + schema + ",\"2\":{\"type\":\"object\"}}";
      for (String check : List.of("enforce", "warn", "off")) {
        Answer answer = api.call("POST", TYPES, type("t", versions, check));
        assertThat(answer.status()).as(check + schema + answer.json()).isEqualTo(422);
        assertThat(answer.text("/detail/0/loc/1")).isEqualTo("schemas");
      }
    }
    ok(422, "POST", TYPES, type("t", "null", "warn"));
    ok(422, "POST", TYPES, type("t", "{}", "sometimes"));
    ok(404, "GET", TYPES + "/t", "");
    ok(201, "POST", TYPES, type("t", "{\"1\":{\"type\":\"object\"}}", "off"));
    ok(422, "PATCH", TYPES + "/t", "{\"schemas\":{\"1\":{\"type\":\"nonsense\"}}}");
    ok(422, "PUT", TYPES + "/t", "{\"description\":\"d\",\"schemas\":{\"1\":7}}");
  }

  @Test
  void anEndpointOfAStrictEnvironmentNamesKnownTypesOnly() {
    String path = "/api/v1/app/acme/endpoint";
    String endpoint = "{\"url\":\"https://example.com/\",\"uid\":\"e\",\"filterTypes\":[\"%s\"]}";
    ok(201, "POST", path, endpoint.formatted("nobody.knows"));
    ok(200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":true}");
    Answer refused = ok(422, "PUT", path + "/e", endpoint.formatted("nobody.knows"));
    assertThat(refused.text("/detail/0/loc/1")).isEqualTo("filterTypes");
    assertThat(refused.text("/detail/0/msg")).contains("nobody.knows", "strict");
    ok(422, "PATCH", path + "/e", "{\"eventTypes\":[\"nobody.knows\"]}");
    ok(200, "PATCH", path + "/e", "{\"description\":\"still there\"}");
    ok(200, "PATCH", path + "/e", "{\"eventTypes\":[\"nobody.*\"]}");
    ok(
        201,
        "POST",
        "/api/v1/app/acme/event-type",
        "{\"name\":\"nobody.knows\",\"description\":\"its own\"}");
    ok(200, "PATCH", path + "/e", "{\"eventTypes\":[\"nobody.knows\"]}");
  }

  @Test
  void aListOfTypesMayStandBesideABound() {
    ok(
        201,
        "POST",
        TYPES,
        type(
            "t",
            "{\"1\":{\"properties\":{\"a\":{\"type\":[\"integer\",\"null\"],\"minimum\":3}}}}",
            "enforce"));
    send(202, "acme", "t", "{\"a\":null}");
    send(202, "acme", "t", "{\"a\":3}");
    send(422, "acme", "t", "{\"a\":2}");
    send(422, "acme", "t", "{\"a\":\"3\"}");
  }

  @Test
  void aPatternTakesLinearTime() {
    ok(
        201,
        "POST",
        TYPES,
        type("slow", "{\"1\":{\"properties\":{\"a\":{\"pattern\":\"^((a+)+)c$\"}}}}", "enforce"));
    Answer refused = send(422, "acme", "slow", "{\"a\":\"" + "a".repeat(600) + "!\"}");
    assertThat(refused.text("/detail/0/msg")).contains("^((a+)+)c$");
    send(202, "acme", "slow", "{\"a\":\"aaac\"}");
  }

  private static final String DOCUMENT =
      """
      openapi: 3.1.0
      info: {title: Shop, version: "1"}
      webhooks:
        order.created:
          post:
            description: An order came in
            x-group-name: orders
            x-feature-flags: [beta]
            requestBody:
              content:
                application/json:
                  schema: {$ref: '#/components/schemas/Order'}
                  example: {id: o1, lines: [{sku: a}]}
        order.gone: {post: {summary: Gone, deprecated: true}}
      components:
        schemas:
          Order:
            type: object
            required: [id]
            properties:
              id: {type: string}
              lines: {type: array, items: {$ref: '#/components/schemas/Line'}}
          Line: {type: object, properties: {sku: {type: string}}}
          Unused: {type: object}
      """;

  @Test
  void anOpenApiDocumentBecomesEventTypes() {
    ok(201, "POST", TYPES, "{\"name\":\"old\",\"description\":\"d\"}");
    String yaml = Json.MAPPER.writeValueAsString(DOCUMENT);
    Answer dry =
        ok(200, "POST", TYPES + "/import/openapi", "{\"dryRun\":true,\"specRaw\":" + yaml + "}");
    assertThat(dry.json().at("/data/modified")).isEmpty();
    assertThat(dry.json().at("/data/to_modify")).hasSize(2);
    assertThat(names(TYPES)).containsExactly("old");

    Answer done =
        ok(
            200,
            "POST",
            TYPES + "/import/openapi",
            "{\"replaceAll\":true,\"specRaw\":" + yaml + "}");
    assertThat(done.json().at("/data/modified").valueStream().map(JsonNode::asString))
        .containsExactly("order.created", "order.gone", "old");
    assertThat(names(TYPES)).containsExactly("order.created", "order.gone");
    Answer created = ok(200, "GET", TYPES + "/order.created", "");
    assertThat(created.text("/groupName")).isEqualTo("orders");
    assertThat(created.text("/featureFlags/0")).isEqualTo("beta");
    assertThat(created.json().at("/schemas/1/components/schemas").propertyNames())
        .containsExactlyInAnyOrder("Order", "Line");
    assertThat(ok(200, "GET", TYPES + "/order.gone", "").json().get("deprecated").asBoolean())
        .isTrue();

    ok(200, "PATCH", TYPES + "/order.created", "{\"schemaCheck\":\"enforce\"}");
    send(202, "acme", "order.created", "{\"id\":\"1\"}");
    assertThat(
            send(422, "acme", "order.created", "{\"id\":\"1\",\"lines\":[{\"sku\":1}]}")
                .text("/detail/0/loc/4"))
        .isEqualTo("sku");
    ok(200, "POST", TYPES + "/import/openapi", "{\"specRaw\":" + yaml + "}");
    assertThat(ok(200, "GET", TYPES + "/order.created", "").json().get("schemas")).hasSize(1);
    ok(
        200,
        "POST",
        TYPES + "/import/openapi",
        """
        {"spec":{"openapi":"3.0.3","x-webhooks":{"order.created":{"post":{"requestBody":{"content":{"application/json":
          {"schema":{"type":"object","properties":{"id":{"type":"string","nullable":true}}}}}}}}}}}
        """);
    Answer changed = ok(200, "GET", TYPES + "/order.created", "");
    assertThat(changed.json().get("schemas").propertyNames()).containsExactly("1", "2");
    assertThat(changed.text("/schemaCheck")).isEqualTo("enforce");
    send(202, "acme", "order.created", "{\"id\":null}");

    for (String bad :
        List.of(
            "{}",
            "{\"spec\":{}}",
            "{\"specRaw\":\"a: [b\"}",
            "{\"specRaw\":\"- x\"}",
            "{\"spec\":{\"openapi\":\"3.1.0\"}}",
            "{\"spec\":{\"openapi\":\"3.1.0\",\"webhooks\":{\"no spaces\":{}}}}")) {
      Answer refused = ok(422, "POST", TYPES + "/import/openapi", bad);
      assertThat(refused.text("/detail/0/loc/1")).startsWith("spec");
    }
  }

  @Test
  void askingBeforehandWhetherAnybodyListens() {
    String path = "/api/v1/app/acme/msg/precheck/active";
    assertThat(active(path, "{\"eventType\":\"a.b\"}")).isFalse();
    ok(
        201,
        "POST",
        "/api/v1/app/acme/endpoint",
        "{\"uid\":\"e\",\"url\":\"https://example.com/\",\"eventTypes\":[\"a.*\"],\"channels\":[\"eu\"]}");
    assertThat(active(path, "{\"eventType\":\"a.b\"}")).isFalse();
    assertThat(active(path, "{\"eventType\":\"a.b\",\"channels\":[\"eu\",\"us\"]}")).isTrue();
    assertThat(active(path, "{\"eventType\":\"b.a\",\"channels\":[\"eu\"]}")).isFalse();
    ok(200, "PATCH", "/api/v1/app/acme/endpoint/e", "{\"disabled\":true}");
    assertThat(active(path, "{\"eventType\":\"a.b\",\"channels\":[\"eu\"]}")).isFalse();
    ok(422, "POST", path, "{}");
    ok(404, "POST", "/api/v1/app/none/msg/precheck/active", "{\"eventType\":\"a\"}");
  }

  private boolean active(String path, String body) {
    return ok(200, "POST", path, body).json().get("active").asBoolean();
  }

  @Test
  void headersCanBeDeletedByName() {
    ok(
        201,
        "POST",
        "/api/v1/app/acme/endpoint",
        "{\"uid\":\"e\",\"url\":\"https://example.com/\",\"headers\":{\"X-A\":\"1\",\"X-B\":\"2\"}}");
    String path = "/api/v1/app/acme/endpoint/e/headers";
    ok(204, "PATCH", path, "{\"deleteHeaders\":[\"X-A\"]}");
    assertThat(ok(200, "GET", path, "").json().get("sensitive").toString()).isEqualTo("[\"X-B\"]");
    ok(204, "PATCH", path, "{\"headers\":{\"X-C\":\"3\"},\"deleteHeaders\":[\"X-B\"]}");
    assertThat(ok(200, "GET", path, "").json().get("sensitive").toString()).isEqualTo("[\"X-C\"]");
    ok(422, "PATCH", path, "{}");
  }
}
