package dev.postrider.api.endpoint;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.AgentRoute.Target;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.endpoint.Subscription;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.InvalidExpression;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.RouteId;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The API calls for agent routes. */
final class AgentRouteCalls {
  private static final TextRule WORDS = TextRule.of(1, Limits.ROUTE_WORDS);

  private final ApplicationLookup applications;
  private final AgentRouteStore store;
  private final EndpointStore endpoints;
  private final EndpointChecks checks;

  AgentRouteCalls(
      ApplicationLookup applications,
      AgentRouteStore store,
      EndpointStore endpoints,
      EndpointChecks checks) {
    this.applications = applications;
    this.store = store;
    this.endpoints = endpoints;
    this.checks = checks;
  }

  void list(Call call) {
    Application application = applications.inPath(call);
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.ROUTE, text));
    call.json(
        200,
        Pages.page(
            store.list(application.id(), keyset), AgentRouteCalls::idText, AgentRouteCalls::write));
  }

  void create(Call call) throws IOException {
    Application application = applications.inPath(call);
    Fields fields = call.fields();
    String uid = application.spec().uid();
    String source = fields.text("source", Limits.UID_RULE);
    if (source == null && uid == null) {
      fields.problem("source", "is required because the application does not have a uid");
    }
    AgentRoute.Spec empty =
        new AgentRoute.Spec(
            source != null ? source : uid == null ? "" : uid,
            "",
            new AgentRoute.Instructions(
                "", null, null, null, Map.of(), AgentRoute.Profile.STANDARD),
            AgentRoute.Target.ALL);
    AgentRoute.Spec spec = change(application, fields, empty, true).apply(empty);
    AgentRoute made = taken(() -> store.create(application, spec));
    if (made == null) {
      throw ApiError.notFound("application");
    }
    answer(call, 201, made);
  }

  void get(Call call) {
    Application application = applications.inPath(call);
    Id id = id(call);
    answer(call, 200, present(id == null ? null : store.find(application.id(), new RouteId(id))));
  }

  void patch(Call call) throws IOException {
    Application application = applications.inPath(call);
    Id id = id(call);
    AgentRoute stored = present(id == null ? null : store.find(application.id(), new RouteId(id)));
    UnaryOperator<AgentRoute.Spec> change =
        change(application, call.fields(), stored.spec(), false);
    answer(call, 200, present(taken(() -> store.update(application, stored.id(), change))));
  }

  void delete(Call call) {
    Application application = applications.inPath(call);
    Id id = id(call);
    if (id == null || !store.delete(application.id(), new RouteId(id))) {
      throw ApiError.notFound("route");
    }
    call.noContent();
  }

  private static @Nullable Id id(Call call) {
    return Id.parse(IdKind.ROUTE, call.path("route"));
  }

  private static AgentRoute present(@Nullable AgentRoute route) {
    if (route == null) {
      throw ApiError.notFound("route");
    }
    return route;
  }

  private static @Nullable AgentRoute taken(Supplier<@Nullable AgentRoute> write) {
    try {
      return write.get();
    } catch (AgentRouteStore.RouteTaken e) {
      throw ApiError.conflict(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Fields that are not given stay unchanged.
   *
   * @param known the stored route, or an empty one for a create
   */
  private UnaryOperator<AgentRoute.Spec> change(
      Application application, Fields fields, AgentRoute.Spec known, boolean whole) {
    String pattern = pattern(fields, whole);
    String intent =
        whole ? fields.requiredText("agentIntent", WORDS) : fields.text("agentIntent", WORDS);
    String session = fields.text("targetSession", WORDS);
    String expression = expression(application, fields);
    String header = fields.text("sessionHeader", TextRule.of(1, 128));
    Map<String, String> annotations =
        fields.textsByName(
            "annotations", Limits.ROUTE_ANNOTATIONS, WORDS, TextRule.upTo(Limits.ROUTE_ANNOTATION));
    AgentRoute.Profile profile = profile(fields);
    UnaryOperator<Target> target = target(application, fields);
    refuseUnknownType(application, fields, known, pattern, target.apply(known.target()));
    fields.check();
    return before ->
        new AgentRoute.Spec(
            before.source(),
            pattern == null ? before.pattern() : pattern,
            new AgentRoute.Instructions(
                intent == null ? before.instructions().agentIntent() : intent,
                fields.has("targetSession") ? session : before.instructions().targetSession(),
                fields.has("sessionExpression")
                    ? expression
                    : before.instructions().sessionExpression(),
                fields.has("sessionHeader") ? header : before.instructions().sessionHeader(),
                annotations == null ? before.instructions().annotations() : annotations,
                profile == null ? before.instructions().profile() : profile),
            target.apply(before.target()));
  }

  /**
   * The target of the route. Null removes what the same field shows: a binding or an own endpoint,
   * or an own endpoint only.
   */
  private UnaryOperator<Target> target(Application application, Fields fields) {
    String endpoint = endpoint(application, fields);
    String url = url(application, fields);
    if (endpoint != null && url != null) {
      fields.problem("url", "cannot be combined with endpoint; remove one of the two");
    }
    if (endpoint != null) {
      return _ -> new Target.OneEndpoint(endpoint);
    }
    if (url != null) {
      return _ -> new Target.OwnEndpoint(url);
    }
    if (fields.has("endpoint")) {
      return _ -> Target.ALL;
    }
    return fields.has("url")
        ? before -> before instanceof Target.OwnEndpoint ? Target.ALL : before
        : before -> before;
  }

  private @Nullable String endpoint(Application application, Fields fields) {
    String name = fields.text("endpoint", TextRule.of(1, Limits.UID));
    if (name != null && endpoints.find(application.id(), name) == null) {
      fields.problem("endpoint", AgentRouteStore.unknown(name));
    }
    return name;
  }

  private @Nullable String url(Application application, Fields fields) {
    String url = fields.text("url", Limits.URL_RULE);
    try {
      return url == null ? null : checks.urls().canonical(application.id().value(), url);
    } catch (BadTarget e) {
      fields.problem("url", String.valueOf(e.getMessage()));
      return url;
    }
  }

  /** An own endpoint subscribes to the route's event type, as any endpoint might. */
  private void refuseUnknownType(
      Application application,
      Fields fields,
      AgentRoute.Spec known,
      @Nullable String pattern,
      Target target) {
    boolean stays = pattern == null && known.target() instanceof Target.OwnEndpoint;
    String type = pattern == null ? known.pattern() : pattern;
    if (stays || !(target instanceof Target.OwnEndpoint) || !Subscription.isEventType(type)) {
      return;
    }
    String problem = checks.types().problem(application, type);
    if (problem != null) {
      fields.problem("eventType", problem);
    }
  }

  private static @Nullable String pattern(Fields fields, boolean whole) {
    TextRule rule = TextRule.of(1, Limits.SUBSCRIPTION);
    String text = whole ? fields.requiredText("eventType", rule) : fields.text("eventType", rule);
    if (text != null && !text.isEmpty()) {
      try {
        return Subscription.parse(text).text();
      } catch (IllegalArgumentException e) {
        fields.problem("eventType", String.valueOf(e.getMessage()));
      }
    }
    return text;
  }

  private @Nullable String expression(Application application, Fields fields) {
    String text = fields.text("sessionExpression", TextRule.upTo(Limits.EXPRESSION));
    if (text == null || text.isBlank()) {
      return null;
    }
    try {
      checks.of(application).expressions().check(text);
    } catch (InvalidExpression | ExpressionFailed e) {
      fields.problem("sessionExpression", String.valueOf(e.getMessage()));
    }
    return text;
  }

  private static AgentRoute.@Nullable Profile profile(Fields fields) {
    String word = fields.text("profile", TextRule.of(1, 20));
    return switch (word) {
      case null -> null;
      case "standard" -> AgentRoute.Profile.STANDARD;
      case "agent" -> AgentRoute.Profile.AGENT;
      default -> {
        fields.problem("profile", "must be standard or agent");
        yield null;
      }
    };
  }

  private static void answer(Call call, int status, AgentRoute route) {
    call.json(status, out -> out.object(o -> write(o, route)));
  }

  private static String idText(AgentRoute route) {
    return route.id().text();
  }

  private static void write(JsonOut out, AgentRoute route) {
    out.text("id", idText(route))
        .text("source", route.source())
        .text("eventType", route.pattern())
        .text("agentIntent", route.instructions().agentIntent())
        .textOrNull("targetSession", route.instructions().targetSession())
        .textOrNull("sessionExpression", route.instructions().sessionExpression())
        .textOrNull("sessionHeader", route.instructions().sessionHeader())
        .textsByName("annotations", route.instructions().annotations())
        .text("profile", route.instructions().profile().text())
        .textOrNull("endpoint", route.endpointId() == null ? null : route.endpointId().text())
        .textOrNull("url", route.url())
        .time("createdAt", route.createdAt())
        .time("updatedAt", route.updatedAt());
  }
}
