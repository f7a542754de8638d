package dev.postrider.api.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.OnEachDatabase;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The lists of received and rejected requests, of one source and of all. */
@Timeout(120)
@OnEachDatabase
final class ReceivedListsTest extends GatewayBehaviour {
  private App app;

  /** Two sources that verify, one of which accepts unsigned requests, and one that does not. */
  @BeforeEach
  void fill() {
    app = gateway.start();
    github(app);
    source("lenient", "\"verify\":\"github\",\"secret\":\"s3cret\",\"allowUnsigned\":true");
    source("open", "\"verify\":\"none\"");
    gateway.github(app, "github", "s3cret", "d1", PUSH);
    gateway.in(app, "lenient", PUSH);
    gateway.in(app, "open", PUSH);
    gateway.github(app, "github", "wrong", "d2", PUSH);
    gateway.in(app, "github", PUSH);
    gateway.send(
        app, "POST", "/in/open", PUSH.getBytes(StandardCharsets.UTF_8), "Content-Encoding", "gzip");
    gateway.await("all are listed", () -> each("/received", "/id").size() == 6);
  }

  private void source(String name, String fields) {
    gateway.api(201, app, "POST", "/source", "{\"name\":\"" + name + "\"," + fields + "}");
  }

  private Answer get(String path) {
    return gateway.api(200, app, "GET", path, "");
  }

  private List<String> each(String path, String pointer) {
    return each(get(path), pointer);
  }

  private static List<String> each(Answer page, String pointer) {
    return page.json().get("data").valueStream().map(item -> item.at(pointer).asString()).toList();
  }

  @Test
  void requestsToAllSourcesAreListedTogether() {
    Answer page = get("/received");
    assertThat(each(page, "/source"))
        .containsExactly("open", "github", "github", "open", "lenient", "github");
    assertThat(each(page, "/outcome"))
        .containsExactly("rejected", "rejected", "rejected", "accepted", "accepted", "accepted");
    assertThat(each(page, "/signature"))
        .containsExactly("", "missing", "invalid", "not_asked", "missing", "valid");
    assertThat(page.json().at("/data/5/id").asString()).startsWith("msg_");
    assertThat(page.json().at("/data/5/method").asString()).isEqualTo("POST");
    assertThat(page.json().at("/data/5/headers/x-github-event").asString()).isEqualTo("push");
    assertThat(page.json().at("/data/1/id").asString()).startsWith("rej_");
    assertThat(page.json().at("/data/1/status").asInt()).isEqualTo(401);
    assertThat(page.json().at("/data/1/reason").asString()).isEqualTo("missing_header");
    assertThat(page.json().get("done").asBoolean()).isTrue();
  }

  @Test
  void theyAreFilteredBySignatureSourceOutcomeReasonAndTime() {
    assertThat(each("/received?signature=valid", "/source")).containsExactly("github");
    assertThat(each("/received?signature=invalid", "/reason")).containsExactly("mismatch");
    assertThat(each("/received?signature=missing", "/outcome"))
        .containsExactly("rejected", "accepted");
    assertThat(each("/received?signature=not_asked", "/source")).containsExactly("open");
    assertThat(each("/received?source=lenient", "/signature")).containsExactly("missing");
    assertThat(each("/received?source=github&outcome=rejected", "/signature"))
        .containsExactly("missing", "invalid");
    assertThat(each("/received?outcome=accepted", "/source"))
        .containsExactly("open", "lenient", "github");
    assertThat(each("/received?reason=encoding", "/source")).containsExactly("open");
    assertThat(each("/received?unrouted=true", "/outcome"))
        .containsExactly("accepted", "accepted", "accepted");
    assertThat(each("/received?before=2020-01-01T00:00:00Z", "/id")).isEmpty();
    assertThat(each("/received?after=2020-01-01T00:00:00Z", "/id")).hasSize(6);

    assertThat(each("/source/github/received?signature=valid", "/id")).hasSize(1);
    assertThat(each("/source/github/received?signature=missing", "/id")).isEmpty();
    assertThat(each("/source/github/received?before=2020-01-01T00:00:00Z", "/id")).isEmpty();
    assertThat(each("/source/github/rejected?signature=missing", "/reason"))
        .containsExactly("missing_header");
    assertThat(each("/source/github/rejected?reason=mismatch", "/signature"))
        .containsExactly("invalid");
    assertThat(each("/source/github/rejected?before=2020-01-01T00:00:00Z", "/id")).isEmpty();
  }

  /** The text of a header cannot pretend to be the result of a verification. */
  @Test
  void aHeaderIsNotTakenForTheResultOfTheVerification() {
    gateway.in(app, "open", PUSH, "X-Note", "\":signature\":\"valid\"");
    gateway.await("it is listed", () -> each("/received?signature=not_asked", "/id").size() == 2);
    assertThat(each("/received?signature=valid", "/source")).containsExactly("github");
  }

  @Test
  void pagesContinueOverBothKinds() {
    List<String> all = each("/received", "/id");
    for (String filter : List.of("", "&signature=missing")) {
      List<String> expected = filter.isEmpty() ? all : each("/received?signature=missing", "/id");
      List<String> seen = new ArrayList<>();
      Answer page = get("/received?limit=1" + filter);
      seen.addAll(each(page, "/id"));
      while (!page.json().get("done").asBoolean()) {
        page = get("/received?limit=1" + filter + "&iterator=" + page.text("/iterator"));
        seen.addAll(each(page, "/id"));
      }
      assertThat(seen).isEqualTo(expected);
    }
    Answer last = get("/received?limit=2&iterator=" + all.get(3));
    assertThat(each(last, "/id")).isEqualTo(all.subList(4, 6));
    assertThat(each("/received?limit=2&iterator=" + last.text("/prevIterator"), "/id"))
        .isEqualTo(all.subList(2, 4));
  }

  /** More messages than are read at once, between the first row and the next that passes. */
  @Test
  void aFilterThatSkipsManyMessagesListsEachRequestOnce() {
    for (int n = 0; n < 101; n++) {
      gateway.in(app, "open", PUSH);
    }
    assertThat(each("/received?signature=missing", "/outcome"))
        .containsExactly("rejected", "accepted");
  }

  @Test
  void anotherEnvironmentSeesNothingOfIt() {
    String environment =
        gateway.api(201, app, "POST", "/environments", "{\"name\":\"staging\"}").text("/id");
    String token =
        gateway
            .api(201, app, "POST", "/environments/" + environment + "/api-key", "{\"name\":\"s\"}")
            .text("/token");
    Answer none =
        gateway.send(
            app, "GET", "/api/v1/received", new byte[0], "Authorization", "Bearer " + token);
    assertThat(each(none, "/id")).isEmpty();
    assertThat(
            gateway
                .send(
                    app,
                    "GET",
                    "/api/v1/received?source=github",
                    new byte[0],
                    "Authorization",
                    "Bearer " + token)
                .status())
        .isEqualTo(404);
  }

  @Test
  void rejectedRequestsOfADeletedSourceStayInTheList() {
    gateway.api(204, app, "DELETE", "/source/github", "");
    assertThat(each("/received?outcome=rejected", "/source")).containsExactly("open", "", "");
    assertThat(each("/received?outcome=accepted", "/source")).containsExactly("open", "lenient");
    assertThat(gateway.api(404, app, "GET", "/received?source=github", "").text("/code"))
        .isEqualTo("not_found");
  }

  /** More sources than are read at once, and more applications than one statement searches. */
  @Test
  void manySourcesAreListedTogether() {
    for (int n = 0; n < 501; n++) {
      source("many-" + n, "\"verify\":\"none\"");
    }
    for (int n = 0; n < 30; n++) {
      gateway.in(app, "many-" + n, PUSH);
    }
    gateway.in(app, "many-500", PUSH);
    gateway.in(app, "open", PUSH);
    gateway.await("all are listed", () -> each("/received?outcome=accepted", "/id").size() == 35);
    assertThat(each("/received?limit=4&outcome=accepted", "/source"))
        .containsExactly("open", "many-500", "many-29", "many-28");
    List<String> all = each("/received", "/id");
    List<String> pages = new ArrayList<>();
    Answer page = get("/received?limit=7");
    pages.addAll(each(page, "/id"));
    while (!page.json().get("done").asBoolean()) {
      page = get("/received?limit=7&iterator=" + page.text("/iterator"));
      pages.addAll(each(page, "/id"));
    }
    assertThat(pages).hasSize(38).isEqualTo(all);
    assertThat(each(get("/received?limit=7&iterator=" + page.text("/prevIterator")), "/id"))
        .isEqualTo(all.subList(28, 35));
  }
}
