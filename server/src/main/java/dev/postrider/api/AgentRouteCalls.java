package dev.postrider.api;

import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.Subscription;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.InvalidExpression;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The calls about agent routes. */
final class AgentRouteCalls {
  private static final TextRule WORDS = TextRule.of(1, Limits.ROUTE_WORDS);

  private final Applications applications;
  private final AgentRouteStore store;
  private final Expressions expressions;

  AgentRouteCalls(Applications applications, AgentRouteStore store, Expressions expressions) {
    this.applications = applications;
    this.store = store;
    this.expressions = expressions;
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
      fields.problem("source", "is required, for the application has no uid");
    }
    AgentRoute.Spec empty =
        new AgentRoute.Spec(
            source != null ? source : uid == null ? "" : uid,
            "",
            "",
            null,
            null,
            null,
            Map.of(),
            AgentRoute.Profile.STANDARD);
    AgentRoute.Spec spec = change(application, fields, true).apply(empty);
    AgentRoute made = taken(() -> store.create(application, spec));
    if (made == null) {
      throw ApiError.notFound("application");
    }
    answer(call, 201, made);
  }

  void get(Call call) {
    Application application = applications.inPath(call);
    Id id = id(call);
    answer(call, 200, present(id == null ? null : store.find(application.id(), id)));
  }

  void patch(Call call) throws IOException {
    Application application = applications.inPath(call);
    Id id = id(call);
    UnaryOperator<AgentRoute.Spec> change = change(application, call.fields(), false);
    answer(
        call,
        200,
        present(id == null ? null : taken(() -> store.update(application.id(), id, change))));
  }

  void delete(Call call) {
    Application application = applications.inPath(call);
    Id id = id(call);
    if (id == null || !store.delete(application.id(), id)) {
      throw ApiError.notFound("route");
    }
    call.noContent();
  }

  private static @Nullable Id id(Call call) {
    return Id.parse(IdKind.ROUTE, call.parameter(1));
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

  /** What is not given stays as it was. */
  private UnaryOperator<AgentRoute.Spec> change(
      Application application, Fields fields, boolean whole) {
    String pattern = pattern(fields, whole);
    String intent =
        whole ? fields.requiredText("agentIntent", WORDS) : fields.text("agentIntent", WORDS);
    String target = fields.text("targetSession", WORDS);
    String expression = expression(application, fields);
    String header = fields.text("sessionHeader", TextRule.of(1, 128));
    Map<String, String> annotations =
        fields.textsByName(
            "annotations", Limits.ROUTE_ANNOTATIONS, WORDS, TextRule.upTo(Limits.ROUTE_ANNOTATION));
    AgentRoute.Profile profile = profile(fields);
    fields.check();
    return before ->
        new AgentRoute.Spec(
            before.source(),
            pattern == null ? before.pattern() : pattern,
            intent == null ? before.agentIntent() : intent,
            fields.has("targetSession") ? target : before.targetSession(),
            fields.has("sessionExpression") ? expression : before.sessionExpression(),
            fields.has("sessionHeader") ? header : before.sessionHeader(),
            annotations == null ? before.annotations() : annotations,
            profile == null ? before.profile() : profile);
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
      expressions.ownedBy(application.id()).check(text);
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
    return route.id().text(IdKind.ROUTE);
  }

  private static void write(JsonOut out, AgentRoute route) {
    out.text("id", idText(route))
        .text("source", route.source())
        .text("eventType", route.pattern())
        .text("agentIntent", route.agentIntent())
        .textOrNull("targetSession", route.targetSession())
        .textOrNull("sessionExpression", route.sessionExpression())
        .textOrNull("sessionHeader", route.sessionHeader())
        .textsByName("annotations", route.annotations())
        .text("profile", route.profile().text())
        .time("createdAt", route.createdAtMs())
        .time("updatedAt", route.updatedAtMs());
  }
}
