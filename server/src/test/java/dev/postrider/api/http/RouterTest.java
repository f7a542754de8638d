package dev.postrider.api.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RouterTest {
  private static final Action NONE = _ -> {};

  private final Router router = new Router();

  private void add(String method, String path, RouteAttribute... attributes) {
    router.add(method, path, Scope.PUBLIC, NONE, attributes);
  }

  private String found(String method, String path) {
    Router.Route route = router.find(method, path).route();
    return route == null ? "none" : route.path();
  }

  @Test
  void oneRouteForEachMethodAndPath() {
    add("GET", "/app/{application}");
    add("PUT", "/app/{application}");
    add("GET", "/app/fixed");
    assertThatThrownBy(() -> add("GET", "/app/{application}"))
        .hasMessage(
            "GET /app/{application} is registered twice, the first time as /app/{application}");
    assertThatThrownBy(() -> add("GET", "/app/{other}/"))
        .hasMessageContaining("the first time as /app/{application}");
    assertThatThrownBy(() -> add("GET", "/app/fixed")).isInstanceOf(IllegalStateException.class);
    assertThat(router.routes())
        .extracting(route -> route.method() + " " + route.path())
        .containsExactly("GET /app/fixed", "GET /app/{application}", "PUT /app/{application}");
  }

  @Test
  void aVariableMatchesOneSegment() {
    add("GET", "/app/{application}/msg/{message}");
    Router.Match match = router.find("GET", "/app/a%2Fb/msg/m");
    assertThat(match.values()).containsExactly("a/b", "m");
    assertThat(match.route()).isNotNull();
    assertThat(match.route().variables()).containsExactly("application", "message");
    assertThat(found("GET", "/app/a/b/msg/m")).isEqualTo("none");
    assertThat(found("GET", "/app/a/msg/m/")).isEqualTo("/app/{application}/msg/{message}");
  }

  @Test
  void pathsThatShareAPrefixMayNameItsVariableDifferently() {
    add("GET", "/in/{source}");
    add("GET", "/in/{environment}/{source}");
    assertThat(found("GET", "/in/a")).isEqualTo("/in/{source}");
    assertThat(found("GET", "/in/a/b")).isEqualTo("/in/{environment}/{source}");
  }

  @Test
  void aFixedSegmentIsPreferredUnlessItLacksTheMethod() {
    add("GET", "/app/{application}");
    add("POST", "/app/batch");
    assertThat(found("POST", "/app/batch")).isEqualTo("/app/batch");
    assertThat(found("GET", "/app/batch")).isEqualTo("/app/{application}");
    assertThat(router.find("PUT", "/app/batch").allowed()).isEqualTo(List.of("POST"));
  }

  @Test
  void attributesBelongToOneRoute() {
    add("GET", "/key", RouteAttribute.RETURNS_SECRET, RouteAttribute.NO_HEAD);
    add("PUT", "/key");
    assertThat(router.routes())
        .extracting(Router.Route::attributes)
        .containsExactly(Set.of(RouteAttribute.RETURNS_SECRET, RouteAttribute.NO_HEAD), Set.of());
  }

  @Test
  void anAliasHasTheRoutesOfItsPrefix() {
    add("POST", "/in/{source}");
    add("GET", "/in/{environment}/{source}");
    add("GET", "/gateway/status");
    router.alias("/webhooks", "/in");
    router.alias("/gateway/webhooks", "/in");
    assertThat(found("POST", "/webhooks/a")).isEqualTo("/in/{source}");
    Router.Match match = router.find("GET", "/gateway/webhooks/e/a%2Fb");
    assertThat(match.values()).containsExactly("e", "a/b");
    assertThat(found("POST", "/gateway/a")).isEqualTo("none");
    assertThat(found("GET", "/gateway/status")).isEqualTo("/gateway/status");
    assertThat(router.find("PUT", "/webhooks/a").allowed()).isEqualTo(List.of("POST"));
    assertThat(router.routes()).as("each once").hasSize(3);
    assertThat(router.aliases()).containsOnlyKeys("/gateway/webhooks", "/webhooks");
    assertThatThrownBy(() -> router.alias("/gateway", "/in"))
        .hasMessage("/gateway has routes and cannot be an alias of /in");
    assertThatThrownBy(() -> router.alias("/other", "/missing"))
        .hasMessageContaining("/missing has no routes");
  }
}
