package dev.postrider.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.ApiFixture.Answer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a user of Svix would notice if it were different here. */
abstract class SvixWireContract extends CallsContract {
  private static final String ENDPOINTS = "/api/v1/app/acme/endpoint";

  @BeforeEach
  final void createApplication() {
    ok(201, "POST", "/api/v1/app", "{\"name\":\"Acme\",\"uid\":\"acme\"}");
  }

  private Answer endpoint(String uid, String more) {
    String body = "{\"url\":\"https://example.com/\",\"uid\":\"%s\"%s}".formatted(uid, more);
    return ok(201, "POST", ENDPOINTS, body);
  }

  private static List<String> uids(Answer page) {
    return page.json().get("data").valueStream().map(item -> item.at("/uid").asString()).toList();
  }

  @Test
  void endpointsAreListedNewestFirst() {
    List.of("a", "b", "c").forEach(uid -> endpoint(uid, ""));
    assertThat(uids(ok(200, "GET", ENDPOINTS, ""))).containsExactly("c", "b", "a");
    assertThat(uids(ok(200, "GET", ENDPOINTS + "?order=ascending", "")))
        .containsExactly("a", "b", "c");
    Answer first = ok(200, "GET", ENDPOINTS + "?limit=2", "");
    assertThat(uids(first)).containsExactly("c", "b");
    Answer second = ok(200, "GET", ENDPOINTS + "?limit=2&iterator=" + first.text("/iterator"), "");
    assertThat(uids(second)).containsExactly("a");
    assertThat(second.json().get("done").asBoolean()).isTrue();
    String back = ENDPOINTS + "?limit=2&iterator=" + second.text("/prevIterator");
    assertThat(uids(ok(200, "GET", back, ""))).containsExactly("c", "b");
    ok(422, "GET", ENDPOINTS + "?order=newest", "");
  }
}
