package dev.postrider.api.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.json.Json;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Expressions over HTTP: stored with an endpoint only if they can be read, and tried out. */
@OnEachDatabase
final class ExpressionCallsTest extends CallsBehaviour {
  private static final String ENDPOINTS = "/api/v1/app/acme/endpoint";

  @BeforeEach
  void open() {
    api.call("POST", "/api/v1/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
  }

  private static String endpoint(String field, String expression) {
    return Json.write(Map.of("url", "https://example.com/hook", "uid", "main", field, expression));
  }

  @Test
  void anEndpointKeepsItsExpressions() {
    Answer made = api.call("POST", ENDPOINTS, endpoint("filter", "payload.n > 1"));
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.text("/filter")).isEqualTo("payload.n > 1");
    Answer changed =
        api.call("PATCH", ENDPOINTS + "/main", "{\"transform\":\"{\\\"a\\\": payload}\"}");
    assertThat(changed.text("/transform")).isEqualTo("{\"a\": payload}");
    assertThat(changed.text("/filter")).isEqualTo("payload.n > 1");
    Answer cleared = api.call("PATCH", ENDPOINTS + "/main", "{\"filter\":null}");
    assertThat(cleared.json().get("filter").isNull()).isTrue();
    assertThat(cleared.text("/transform")).isEqualTo("{\"a\": payload}");
  }

  @Test
  void anExpressionThatCannotBeReadIsRefusedWithItsFieldAndPlace() {
    for (String field : new String[] {"filter", "transform"}) {
      Answer refused = api.call("POST", ENDPOINTS, endpoint(field, "payload.n >"));
      assertThat(refused.status()).isEqualTo(422);
      assertThat(refused.text("/detail/0/loc/1")).isEqualTo(field);
      assertThat(refused.text("/detail/0/msg")).startsWith("line 1, column 12: ");
    }
    api.call("POST", ENDPOINTS, endpoint("filter", "payload.n > 1"));
    Answer refused = api.call("PATCH", ENDPOINTS + "/main", "{\"filter\":\"(\"}");
    assertThat(refused.status()).isEqualTo(422);
    assertThat(api.call("GET", ENDPOINTS + "/main", null).text("/filter"))
        .isEqualTo("payload.n > 1");
  }

  @Test
  void aRegularExpressionMustRunInLinearTime() {
    for (String field : new String[] {"filter", "transform"}) {
      Answer refused =
          api.call("POST", ENDPOINTS, endpoint(field, "$contains(payload.s, /a(?=b)/)"));
      assertThat(refused.status()).isEqualTo(422);
      assertThat(refused.text("/detail/0/loc/1")).isEqualTo(field);
      assertThat(refused.text("/detail/0/msg")).contains("\"a(?=b)\" is not supported");
    }
  }

  /** Before, twelve of these calls took all threads until a restart. */
  @Test
  void noCallTakesTheThreadsFromTheOthers() throws Exception {
    String slow =
        "{\"expression\":\"payload.s ~> /^(.*a){18}b1$/\",\"context\":{\"payload\":{\"s\":\"%s\"}}}"
            .formatted("a".repeat(5_000));
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Answer>> calls =
          Collections.nCopies(12, () -> api.call("POST", "/api/v1/expression/test", slow));
      for (Future<Answer> call : callers.invokeAll(calls)) {
        assertThat(call.get().status()).isEqualTo(200);
      }
    }
    assertThat(api.evaluator.busyThreads()).isZero();
    assertThat(api.evaluator.overdue()).isZero();
  }

  @Test
  void anEndpointChoosesItsMethod() {
    assertThat(api.call("POST", ENDPOINTS, endpoint("method", "PUT")).text("/method"))
        .isEqualTo("PUT");
    assertThat(api.call("PATCH", ENDPOINTS + "/main", "{\"method\":\"TRACE\"}").status())
        .isEqualTo(422);
  }

  @Test
  void anExpressionIsEvaluatedOnAnExample() {
    Answer value =
        api.call(
            "POST",
            "/api/v1/expression/test",
            "{\"expression\":\"{\\\"n\\\": payload.n + 1}\",\"context\":{\"payload\":{\"n\":41}}}");
    assertThat(value.status()).isEqualTo(200);
    assertThat(value.json().toString())
        .isEqualTo("{\"ok\":true,\"outcome\":\"value\",\"filter\":true,\"result\":{\"n\":42}}");
    Answer wrong =
        api.call("POST", "/api/v1/expression/test", "{\"expression\":\"payload.\\n n +\"}");
    assertThat(wrong.json().get("ok").asBoolean()).isFalse();
    assertThat(wrong.json().at("/error/line").asInt()).isEqualTo(2);
    assertThat(wrong.json().at("/error/column").asInt()).isEqualTo(5);
    Answer failed =
        api.call(
            "POST",
            "/api/v1/expression/test",
            "{\"expression\":\"payload + 1\",\"context\":{\"payload\":\"x\"}}");
    assertThat(failed.json().at("/error/column").asInt()).isEqualTo(9);
    Answer canceled = api.call("POST", "/api/v1/expression/test", "{\"expression\":\"$cancel()\"}");
    assertThat(canceled.text("/outcome")).isEqualTo("cancel");
  }
}
