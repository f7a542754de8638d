package dev.postrider.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.RouteId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which route a delivery gets. */
class AgentRoutesTest {
  private static final Id A = new Id(1, 1);
  private static final Id B = new Id(1, 2);

  private static AgentRoute route(String source, String pattern, @Nullable Id endpoint) {
    return new AgentRoute(
        new RouteId(new Id(2, pattern.hashCode())),
        new ApplicationId(new Id(3, 3)),
        source,
        pattern,
        new AgentRoute.Instructions(
            (endpoint == null ? "all " : "bound ") + pattern,
            null,
            null,
            null,
            Map.of(),
            AgentRoute.Profile.STANDARD),
        EndpointId.orNull(endpoint),
        null,
        Instant.EPOCH,
        Instant.EPOCH);
  }

  private static @Nullable String to(AgentRoutes routes, String type, Id endpoint) {
    AgentRoute route = routes.of("github", type).to(new EndpointId(endpoint));
    return route == null ? null : route.instructions().agentIntent();
  }

  @Test
  void boundBeatsUnboundThenExactBeatsPatternThenLongerBeatsShorter() {
    AgentRoutes routes =
        new AgentRoutes(
            List.of(
                route("github", "*", null),
                route("github", "a.*", null),
                route("github", "a.b.*", null),
                route("github", "a.b.c", null),
                route("github", "a.*", A),
                route("github", "a.b.*", A),
                route("github", "a.b.c", A),
                route("gitlab", "x", A)));
    assertThat(to(routes, "a.b.c", A)).isEqualTo("bound a.b.c");
    assertThat(to(routes, "a.b.d", A)).isEqualTo("bound a.b.*");
    assertThat(to(routes, "a.d", A)).isEqualTo("bound a.*");
    assertThat(to(routes, "x", A)).as("bound for another source").isEqualTo("all *");
    assertThat(to(routes, "a.b.c", B)).isEqualTo("all a.b.c");
    assertThat(to(routes, "a.b.c.d", B)).isEqualTo("all a.b.*");
    assertThat(to(routes, "a.d", B)).isEqualTo("all a.*");
    assertThat(to(routes, "a", B)).as("no prefix without its dot").isEqualTo("all *");
    AgentRoutes far = new AgentRoutes(List.of(route("github", "*", A), route("github", "a", null)));
    assertThat(to(far, "a", A)).as("a bound pattern beats an exact one").isEqualTo("bound *");
    assertThat(to(far, "b", B)).isNull();
    assertThat(far.of("github", "b").forAll()).isNull();
    assertThat(far.of("gitlab", "a").to(new EndpointId(A))).isNull();
    assertThat(far.of(null, "a").to(new EndpointId(A))).as("an application without a uid").isNull();
  }

  @Test
  void withoutRoutesNothingIsComputed() {
    assertThat(AgentRoutes.NONE.of("github", "a.b.c")).isSameAs(AgentRoutes.NONE.of("gitlab", "d"));
    assertThat(AgentRoutes.NONE.of("github", "a").to(new EndpointId(A))).isNull();
  }
}
