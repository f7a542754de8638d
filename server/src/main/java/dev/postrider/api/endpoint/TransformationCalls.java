package dev.postrider.api.endpoint;

import dev.postrider.api.form.Limits;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.InvalidExpression;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import dev.postrider.tenant.Application;
import java.io.IOException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The transformation of an endpoint in the API of Svix. There it is JavaScript; here it is JSONata,
 * and code that cannot run is rejected.
 */
public final class TransformationCalls {
  private static final Pattern JAVASCRIPT =
      Pattern.compile("\\bfunction\\s+\\w|=>|\\b(const|let|var)\\s+\\w");

  private final EndpointOwner owner;
  private final EndpointLookup endpoints;
  private final EndpointStore store;
  private final Expressions expressions;

  public TransformationCalls(EndpointOwner owner, EndpointDependencies services) {
    this.owner = owner;
    this.endpoints = services.lookup();
    this.store = services.store();
    this.expressions = services.checks().expressions();
  }

  public void get(Call call) {
    Endpoint endpoint = endpoints.inPath(call, owner.inPath(call));
    String transform = endpoint.spec().get(EndpointFields.TRANSFORM);
    boolean enabled = transform != null && endpoint.spec().get(EndpointFields.TRANSFORM_ENABLED);
    call.json(
        200,
        out ->
            out.object(
                o ->
                    o.textOrNull("code", transform)
                        .flag("enabled", enabled)
                        .textOrNull("variables", null)
                        .timeOrNull("updatedAt", transform == null ? null : endpoint.updatedAt())));
  }

  public void patch(Call call) throws IOException {
    Application application = owner.inPath(call);
    Endpoint endpoint = endpoints.inPath(call, application);
    Fields fields = call.fields();
    String code = code(application, fields);
    String before = endpoint.spec().get(EndpointFields.TRANSFORM);
    String after = fields.has("code") ? code : before;
    boolean wasEnabled = before != null && endpoint.spec().get(EndpointFields.TRANSFORM_ENABLED);
    boolean enabled = fields.flag("enabled", wasEnabled && after != null);
    if (after == null && enabled) {
      fields.problem("code", "is required with enabled");
    }
    refuseVariables(fields);
    fields.check();
    if (store.update(
            application.id(),
            call.path("endpoint"),
            spec ->
                changed(
                    fields.has("code") ? spec.with(EndpointFields.TRANSFORM, code) : spec, enabled))
        == null) {
      throw ApiError.notFound("endpoint");
    }
    call.noContent();
  }

  /** Without code there is nothing to switch off: the field has its default. */
  private static EndpointSpec changed(EndpointSpec spec, boolean enabled) {
    boolean none = spec.get(EndpointFields.TRANSFORM) == null;
    return spec.with(EndpointFields.TRANSFORM_ENABLED, none || enabled);
  }

  private static void refuseVariables(Fields fields) {
    Fields variables = fields.object("variables");
    if (variables != null && !variables.isEmpty()) {
      fields.problem("variables", "must be null: write the values into the JSONata expression");
    }
  }

  private @Nullable String code(Application application, Fields fields) {
    String text = fields.text("code", TextRule.upTo(Limits.EXPRESSION));
    if (text == null || text.isBlank()) {
      return null;
    }
    if (JAVASCRIPT.matcher(text).find()) {
      fields.problem("code", "looks like JavaScript; this server runs JSONata expressions");
      return text;
    }
    try {
      expressions.ownedBy(application.id().value()).check(text);
    } catch (InvalidExpression | ExpressionFailed e) {
      fields.problem("code", "is not a valid JSONata expression: " + e.getMessage());
    }
    return text;
  }
}
