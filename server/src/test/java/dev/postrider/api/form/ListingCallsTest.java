package dev.postrider.api.form;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.ApiFixture.Answer;
import dev.postrider.testkit.api.CallsBehaviour;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lists, their filters and their pages. */
@OnEachDatabase
final class ListingCallsTest extends CallsBehaviour {
  private void application(String uid, String... endpoints) {
    expect(201, "POST", "/api/v1/app", "{\"name\":\"" + uid + "\",\"uid\":\"" + uid + "\"}");
    for (String endpoint : endpoints) {
      expect(201, "POST", "/api/v1/app/" + uid + "/endpoint", endpoint);
    }
  }

  private List<String> names(String path) {
    return names(expect(200, "GET", path, ""));
  }

  private static List<String> names(Answer page) {
    return page.json().get("data").valueStream().map(item -> item.at("/name").asString()).toList();
  }

  @Test
  void applicationsAreListedByTheirEndpoints() {
    String live = "{\"url\":\"https://example.com/\",\"uid\":\"live\"}";
    String off = "{\"url\":\"https://example.com/\",\"disabled\":true}";
    String play = "{\"url\":\"https://play.svix.com/in/e_1/\"}";
    application("none");
    application("live", live, off, play);
    application("off", off);
    application("play", play);
    application("gone", live);
    expect(204, "DELETE", "/api/v1/app/gone/endpoint/live", "");
    String list = "/api/v1/app?limit=2&exclude_apps_with_";
    assertThat(names("/api/v1/app?exclude_apps_with_no_endpoints=false")).hasSize(5);
    assertThat(names("/api/v1/app?exclude_apps_with_no_endpoints=true"))
        .containsExactly("live", "off", "play");
    assertThat(names("/api/v1/app?exclude_apps_with_disabled_endpoints=true"))
        .containsExactly("none", "live", "play", "gone");
    assertThat(names("/api/v1/app?exclude_apps_with_svix_play_endpoints=true"))
        .containsExactly("none", "live", "off", "gone");
    Answer first = expect(200, "GET", list + "no_endpoints=true", "");
    assertThat(names(first)).containsExactly("live", "off");
    assertThat(names(list + "no_endpoints=true&iterator=" + first.text("/iterator")))
        .containsExactly("play");
    assertThat(
            names(
                "/api/v1/app?exclude_apps_with_no_endpoints=true&exclude_apps_with_disabled_endpoints=true&exclude_apps_with_svix_play_endpoints=true"))
        .containsExactly("live");
    expect(422, "GET", list + "no_endpoints=maybe", "");
  }

  @Test
  void aNameThatBeginsWithADashIsPagedLikeAnyOther() {
    for (String name : List.of("--x", "-a", "-b", "c", "d")) {
      expect(201, "POST", "/api/v1/event-type", "{\"name\":\"" + name + "\",\"description\":\"\"}");
    }
    String list = "/api/v1/event-type?limit=1";
    List<String> seen = new ArrayList<>();
    Answer page = expect(200, "GET", list, "");
    seen.addAll(names(page));
    while (!page.json().get("done").asBoolean() && seen.size() < 10) {
      page = expect(200, "GET", list + "&iterator=" + page.text("/iterator"), "");
      seen.addAll(names(page));
    }
    assertThat(seen).containsExactly("--x", "-a", "-b", "c", "d");
    List<String> back = new ArrayList<>();
    while (page.json().get("data").size() > 0 && back.size() < 10) {
      page = expect(200, "GET", list + "&iterator=" + page.text("/prevIterator"), "");
      back.addAll(names(page));
    }
    assertThat(back).containsExactly("c", "-b", "-a", "--x");
  }
}
