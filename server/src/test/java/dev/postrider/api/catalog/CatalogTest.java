package dev.postrider.api.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.json.Json;
import dev.postrider.tenant.key.ApiKey.Role;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
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
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
    expect(201, "POST", "/api/v1/app", "{\"name\":\"Beta\",\"uid\":\"beta\"}");
  }

  private Answer send(int status, String app, String type, String payload) {
    return expect(
        status,
        "POST",
        "/api/v1/app/" + app + "/msg",
        "{\"eventType\":\"%s\",\"payload\":%s}".formatted(type, payload));
  }

  @Test
  void aStrictEnvironmentRefusesUnknownAndArchivedTypes() {
    send(202, "acme", "nobody.knows", "{}");
    Answer patched = expect(200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":true}");
    assertThat(patched.json().get("strictEventTypes").asBoolean()).isTrue();
    Answer refused = send(422, "acme", "nobody.knows", "{}");
    assertThat(refused.text("/detail/0/loc/1")).isEqualTo("eventType");
    assertThat(refused.text("/detail/0/msg")).contains("nobody.knows", "strict", "POST /api/v1");
    expect(201, "POST", TYPES, "{\"name\":\"nobody.knows\",\"description\":\"now known\"}");
    send(202, "acme", "nobody.knows", "{}");
    expect(204, "DELETE", TYPES + "/nobody.knows", "");
    assertThat(send(422, "acme", "nobody.knows", "{}").text("/detail/0/msg")).contains("archived");
    assertThat(expect(200, "GET", TYPES, "").json().get("data")).isEmpty();
    assertThat(expect(200, "GET", TYPES + "?include_archived=true", "").text("/data/0/name"))
        .isEqualTo("nobody.knows");
    expect(
        200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":false,\"name\":\"Staging\"}");
    send(202, "acme", "nobody.knows", "{}");
    assertThat(expect(200, "GET", "/api/v1/environment", "").text("/name")).isEqualTo("Staging");
    assertThat(api.acceptor.accepted).hasSize(3);
  }

  @Test
  void aDryRunIsRefusedLikeTheSend() {
    expect(201, "POST", TYPES, type("invoice.paid", SCHEMA, "enforce"));
    assertThat(dryRun(200, "invoice.paid", "{\"amount\":1}").json().has("warnings")).isFalse();
    assertThat(dryRun(422, "invoice.paid", "{\"amount\":0}").json())
        .isEqualTo(send(422, "acme", "invoice.paid", "{\"amount\":0}").json());
    expect(200, "PATCH", TYPES + "/invoice.paid", "{\"schemaCheck\":\"warn\"}");
    assertThat(dryRun(200, "invoice.paid", "{\"amount\":0}").text("/warnings/0/loc/2"))
        .isEqualTo("amount");
    dryRun(200, "nobody.knows", "{}");
    expect(200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":true}");
    assertThat(dryRun(422, "nobody.knows", "{}").json())
        .isEqualTo(send(422, "acme", "nobody.knows", "{}").json());
    expect(200, "PATCH", "/api/v1/app/acme", "{\"active\":false}");
    assertThat(dryRun(403, "invoice.paid", "{\"amount\":1}").json())
        .isEqualTo(send(403, "acme", "invoice.paid", "{\"amount\":1}").json());
    assertThat(api.acceptor.accepted).as("nothing was sent").isEmpty();
  }

  private Answer dryRun(int status, String type, String payload) {
    return expect(
        status,
        "POST",
        "/api/v1/app/acme/msg?dryRun=true",
        "{\"eventType\":\"%s\",\"payload\":%s}".formatted(type, payload));
  }

  @Test
  void anEnforcedSchemaNamesTheFailingPaths() {
    expect(201, "POST", TYPES, type("invoice.paid", SCHEMA, "enforce"));
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
        expect(
            422,
            "POST",
            "/api/v1/app/acme/msg",
            """
            {"eventType":"invoice.paid","payload":{},
             "transformationsParams":{"rawPayload":"<x/>","headers":{"content-type":"text/xml"}}}
            """);
    assertThat(raw.text("/detail/0/msg")).contains("must be JSON");
    expect(
        202,
        "POST",
        "/api/v1/app/acme/msg",
        """
        {"eventType":"invoice.paid","payload":{},"transformationsParams":{"rawPayload":"{\\"amount\\":7}"}}
        """);

    expect(200, "PATCH", TYPES + "/invoice.paid", "{\"schemaCheck\":\"warn\"}");
    Answer warned =
        expect(
            202,
            "POST",
            "/api/v1/app/acme/msg",
            "{\"eventType\":\"invoice.paid\",\"payload\":{\"amount\":0}}");
    assertThat(warned.json().at("/warnings/0/loc").toString())
        .isEqualTo("[\"body\",\"payload\",\"amount\"]");
    assertThat(warned.json().at("/payload/amount").asInt()).as("it stands beside").isZero();
    Answer batch =
        expect(
            202,
            "POST",
            "/api/v1/app/acme/msg/batch",
            """
            {"messages":[{"eventType":"invoice.paid","payload":{"amount":0}},
                         {"eventType":"invoice.paid","payload":{"amount":7}}]}
            """);
    assertThat(batch.text("/data/0/warnings/0/loc/2")).isEqualTo("amount");
    assertThat(batch.json().at("/data/1").has("warnings")).as("it fits").isFalse();
    expect(200, "PATCH", TYPES + "/invoice.paid", "{\"schemaCheck\":\"enforce\"}");
    send(422, "acme", "invoice.paid", "{\"amount\":0}");
    expect(200, "PATCH", TYPES + "/invoice.paid", "{\"schemas\":{\"11\":{\"type\":\"object\"}}}");
    send(202, "acme", "invoice.paid", "{\"amount\":0}");
    Answer put =
        expect(
            200, "PUT", TYPES + "/invoice.paid", "{\"description\":\"d\",\"schemas\":{\"1\":{}}}");
    assertThat(put.text("/schemaCheck")).as("not Svix's to replace").isEqualTo("enforce");
    Answer without = expect(422, "PUT", TYPES + "/invoice.paid", "{\"description\":\"d\"}");
    assertThat(without.text("/detail/0/loc/1")).isEqualTo("schemas");
  }

  private static String type(String name, String schemas, String check) {
    return "{\"name\":\"%s\",\"description\":\"d\",\"schemas\":%s,\"schemaCheck\":\"%s\"}"
        .formatted(name, schemas, check);
  }

  @Test
  void aBatchWithAMessageThatDoesNotFitIsRefused() {
    expect(201, "POST", TYPES, type("invoice.paid", SCHEMA, "enforce"));
    Answer batch =
        expect(
            422,
            "POST",
            "/api/v1/app/acme/msg/batch",
            """
            {"messages":[{"eventType":"invoice.paid","payload":{"amount":1}},
                         {"eventType":"invoice.paid","payload":{"amount":"x"}},
                         {"eventType":"other","payload":{}}]}
            """);
    assertThat(batch.json().at("/detail/0/loc").toString())
        .isEqualTo("[\"body\",\"messages\",\"1\",\"payload\",\"amount\"]");
    assertThat(api.acceptor.accepted).isEmpty();
  }

  @Test
  void anApplicationsOwnTypeShadowsTheEnvironments() {
    expect(201, "POST", TYPES, type("invoice.paid", SCHEMA, "enforce"));
    expect(201, "POST", TYPES, "{\"name\":\"plain\",\"description\":\"d\"}");
    Answer own =
        expect(
            201,
            "POST",
            OWN,
            type("invoice.paid", "{\"1\":{\"required\":[\"total\"]}}", "enforce"));
    assertThat(own.text("/scope")).isEqualTo("application");
    expect(409, "POST", OWN, "{\"name\":\"invoice.paid\",\"description\":\"d\"}");
    send(202, "acme", "invoice.paid", "{\"total\":1}");
    send(422, "acme", "invoice.paid", "{\"amount\":1}");
    send(202, "beta", "invoice.paid", "{\"amount\":1}");
    send(422, "beta", "invoice.paid", "{\"total\":1}");

    assertThat(names(OWN)).containsExactly("invoice.paid");
    assertThat(names(OWN + "?include_environment=true")).containsExactly("invoice.paid", "plain");
    assertThat(names(OWN + "?include_environment=true&limit=1")).containsExactly("invoice.paid");
    assertThat(expect(200, "GET", OWN + "?include_environment=true", "").text("/data/0/scope"))
        .isEqualTo("application");
    assertThat(names("/api/v1/app/beta/event-type")).isEmpty();
    expect(404, "GET", OWN + "/plain", "");
    expect(200, "PATCH", OWN + "/invoice.paid", "{\"deprecated\":true}");
    expect(201, "PUT", OWN + "/second", "{\"description\":\"d\"}");

    String token = api.key(api.stores.application("beta").id().value(), Role.FULL);
    assertThat(api.callAs(token, "GET", OWN, null).status()).isEqualTo(404);
    assertThat(api.callAs(token, "GET", "/api/v1/app/beta/event-type", null).status())
        .isEqualTo(200);
    assertThat(api.callAs(token, "GET", TYPES, null).status()).isEqualTo(403);
    assertThat(api.callAs(token, "GET", "/api/v1/environment", null).status()).isEqualTo(403);

    expect(204, "DELETE", OWN + "/invoice.paid?expunge=true", "");
    send(202, "acme", "invoice.paid", "{\"amount\":1}");
  }

  private List<String> names(String path) {
    return expect(200, "GET", path, "")
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
    expect(422, "POST", TYPES, type("t", "null", "warn"));
    expect(422, "POST", TYPES, type("t", "{}", "sometimes"));
    expect(404, "GET", TYPES + "/t", "");
    expect(201, "POST", TYPES, type("t", "{\"1\":{\"type\":\"object\"}}", "off"));
    expect(422, "PATCH", TYPES + "/t", "{\"schemas\":{\"1\":{\"type\":\"nonsense\"}}}");
    expect(422, "PUT", TYPES + "/t", "{\"description\":\"d\",\"schemas\":{\"1\":7}}");
  }

  @Test
  void anEndpointOfAStrictEnvironmentNamesKnownTypesOnly() {
    String path = "/api/v1/app/acme/endpoint";
    String endpoint = "{\"url\":\"https://example.com/\",\"uid\":\"e\",\"filterTypes\":[\"%s\"]}";
    expect(201, "POST", path, endpoint.formatted("nobody.knows"));
    expect(200, "PATCH", "/api/v1/environment", "{\"strictEventTypes\":true}");
    Answer refused = expect(422, "PUT", path + "/e", endpoint.formatted("nobody.knows"));
    assertThat(refused.text("/detail/0/loc/1")).isEqualTo("filterTypes");
    assertThat(refused.text("/detail/0/msg")).contains("nobody.knows", "strict");
    expect(422, "PATCH", path + "/e", "{\"eventTypes\":[\"nobody.knows\"]}");
    expect(200, "PATCH", path + "/e", "{\"description\":\"still there\"}");
    expect(200, "PATCH", path + "/e", "{\"eventTypes\":[\"nobody.*\"]}");
    expect(
        201,
        "POST",
        "/api/v1/app/acme/event-type",
        "{\"name\":\"nobody.knows\",\"description\":\"its own\"}");
    expect(200, "PATCH", path + "/e", "{\"eventTypes\":[\"nobody.knows\"]}");
  }

  @Test
  void aSchemaMayCombineAListOfTypesWithABound() {
    expect(
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
  void patternsRunInLinearTime() {
    expect(
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
    expect(201, "POST", TYPES, "{\"name\":\"old\",\"description\":\"d\"}");
    String yaml = Json.MAPPER.writeValueAsString(DOCUMENT);
    Answer dry =
        expect(
            200, "POST", TYPES + "/import/openapi", "{\"dryRun\":true,\"specRaw\":" + yaml + "}");
    assertThat(dry.json().at("/data/modified")).isEmpty();
    assertThat(dry.json().at("/data/to_modify")).hasSize(2);
    assertThat(names(TYPES)).containsExactly("old");

    Answer done =
        expect(
            200,
            "POST",
            TYPES + "/import/openapi",
            "{\"replaceAll\":true,\"specRaw\":" + yaml + "}");
    assertThat(done.json().at("/data/modified").valueStream().map(JsonNode::asString))
        .containsExactly("order.created", "order.gone", "old");
    assertThat(names(TYPES)).containsExactly("order.created", "order.gone");
    Answer created = expect(200, "GET", TYPES + "/order.created", "");
    assertThat(created.text("/groupName")).isEqualTo("orders");
    assertThat(created.text("/featureFlags/0")).isEqualTo("beta");
    assertThat(created.json().at("/schemas/1/components/schemas").propertyNames())
        .containsExactlyInAnyOrder("Order", "Line");
    assertThat(expect(200, "GET", TYPES + "/order.gone", "").json().get("deprecated").asBoolean())
        .isTrue();

    expect(200, "PATCH", TYPES + "/order.created", "{\"schemaCheck\":\"enforce\"}");
    send(202, "acme", "order.created", "{\"id\":\"1\"}");
    assertThat(
            send(422, "acme", "order.created", "{\"id\":\"1\",\"lines\":[{\"sku\":1}]}")
                .text("/detail/0/loc/4"))
        .isEqualTo("sku");
    expect(200, "POST", TYPES + "/import/openapi", "{\"specRaw\":" + yaml + "}");
    assertThat(expect(200, "GET", TYPES + "/order.created", "").json().get("schemas")).hasSize(1);
    expect(
        200,
        "POST",
        TYPES + "/import/openapi",
        """
        {"spec":{"openapi":"3.0.3","x-webhooks":{"order.created":{"post":{"requestBody":{"content":{"application/json":
          {"schema":{"type":"object","properties":{"id":{"type":"string","nullable":true}}}}}}}}}}}
        """);
    Answer changed = expect(200, "GET", TYPES + "/order.created", "");
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
      Answer refused = expect(422, "POST", TYPES + "/import/openapi", bad);
      assertThat(refused.text("/detail/0/loc/1")).startsWith("spec");
    }
  }

  @Test
  void aPrecheckReportsWhetherAnEndpointIsSubscribed() {
    String path = "/api/v1/app/acme/msg/precheck/active";
    assertThat(active(path, "{\"eventType\":\"a.b\"}")).isFalse();
    expect(
        201,
        "POST",
        "/api/v1/app/acme/endpoint",
        "{\"uid\":\"e\",\"url\":\"https://example.com/\",\"eventTypes\":[\"a.*\"],\"channels\":[\"eu\"]}");
    assertThat(active(path, "{\"eventType\":\"a.b\"}")).isFalse();
    assertThat(active(path, "{\"eventType\":\"a.b\",\"channels\":[\"eu\",\"us\"]}")).isTrue();
    assertThat(active(path, "{\"eventType\":\"b.a\",\"channels\":[\"eu\"]}")).isFalse();
    expect(200, "PATCH", "/api/v1/app/acme/endpoint/e", "{\"disabled\":true}");
    assertThat(active(path, "{\"eventType\":\"a.b\",\"channels\":[\"eu\"]}")).isFalse();
    expect(422, "POST", path, "{}");
    expect(404, "POST", "/api/v1/app/none/msg/precheck/active", "{\"eventType\":\"a\"}");
  }

  private boolean active(String path, String body) {
    return expect(200, "POST", path, body).json().get("active").asBoolean();
  }

  @Test
  void headersCanBeDeletedByName() {
    expect(
        201,
        "POST",
        "/api/v1/app/acme/endpoint",
        "{\"uid\":\"e\",\"url\":\"https://example.com/\",\"headers\":{\"X-A\":\"1\",\"X-B\":\"2\"}}");
    String path = "/api/v1/app/acme/endpoint/e/headers";
    expect(204, "PATCH", path, "{\"deleteHeaders\":[\"X-A\"]}");
    assertThat(expect(200, "GET", path, "").json().get("sensitive").toString())
        .isEqualTo("[\"X-B\"]");
    expect(204, "PATCH", path, "{\"headers\":{\"X-C\":\"3\"},\"deleteHeaders\":[\"X-B\"]}");
    assertThat(expect(200, "GET", path, "").json().get("sensitive").toString())
        .isEqualTo("[\"X-C\"]");
    expect(422, "PATCH", path, "{}");
  }
}
