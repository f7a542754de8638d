package dev.postrider.api;

import dev.postrider.delivery.http.BadTarget;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.EndpointEdit;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.ForwardedHeaders;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.endpoint.Subscription;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.expression.InvalidExpression;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.json.TextRule;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.tenant.Application;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads an endpoint out of a request, as a list of edits that can be applied to whatever is stored.
 * A POST or PUT sets all that Svix knows; our own fields, and everything in a PATCH, change only if
 * given.
 */
final class EndpointForm {
  private final Fields fields;
  private final boolean whole;
  private final EndpointChecks checks;
  private final Application application;
  private final List<Consumer<EndpointEdit>> edits = new ArrayList<>();

  private EndpointForm(
      Fields fields, boolean whole, EndpointChecks checks, Application application) {
    this.fields = fields;
    this.whole = whole;
    this.checks = checks.of(application);
    this.application = application;
  }

  /**
   * @param name from the path: the uid if the body has none; null if the path has none
   */
  static EndpointForm whole(
      Fields fields, @Nullable String name, EndpointChecks checks, Application application) {
    EndpointForm form = new EndpointForm(fields, true, checks, application);
    form.read(name != null && name.startsWith(IdKind.ENDPOINT.prefix()) ? null : name);
    return form;
  }

  static EndpointForm part(Fields fields, EndpointChecks checks, Application application) {
    fields.refuseNull("description", "metadata", "disabled", "version");
    if (fields.text("secret", TextRule.of(1, Limits.SECRET)) != null) {
      fields.problem("secret", "cannot be patched; use POST …/secret/rotate");
    }
    EndpointForm form = new EndpointForm(fields, false, checks, application);
    form.read(null);
    return form;
  }

  EndpointSpec fresh() {
    return change(false).apply(EndpointSpec.of(""));
  }

  /** The change to a stored endpoint. */
  UnaryOperator<EndpointSpec> change() {
    return change(true);
  }

  private UnaryOperator<EndpointSpec> change(boolean stored) {
    return before -> {
      EndpointEdit edit = before.edit();
      edits.forEach(step -> step.accept(edit));
      EndpointSpec after = edit.done();
      if (stored && after.ordered() != before.ordered()) {
        throw new InvalidFields(
            Problem.inBody("ordering", "cannot be changed later; create another endpoint"));
      }
      return after;
    };
  }

  private void read(@Nullable String name) {
    url();
    uid(name);
    texts();
    if (given("description")) {
      String description = fields.text("description", Limits.DESCRIPTION_RULE);
      edits.add(edit -> edit.description(description == null ? "" : description));
    }
    if (given("metadata")) {
      Map<String, String> metadata = RequestForms.metadata(fields);
      edits.add(edit -> edit.metadata(metadata));
    }
    if (given("disabled")) {
      boolean disabled = fields.flag("disabled", false);
      edits.add(edit -> edit.disabled(disabled));
    }
    String throttle = RequestForms.throttleField(fields);
    if (given(throttle)) {
      Integer rate = fields.integer(throttle, 1, Limits.THROTTLE);
      edits.add(edit -> edit.throttleRate(rate));
    }
    if (given("version")) {
      Integer version = fields.integer("version", 1, Limits.ENDPOINT_VERSION);
      edits.add(edit -> edit.shownVersion(version == null ? 1 : version));
    }
    fields.unsupported("oauth", "mtls", "ca");
    own();
    fields.check();
  }

  private boolean given(String field) {
    return whole || fields.has(field);
  }

  private void url() {
    if (!given("url")) {
      return;
    }
    String url = fields.requiredText("url", Limits.URL_RULE);
    if (url.isEmpty()) {
      return;
    }
    try {
      String canonical = checks.urls().canonical(application.id(), url);
      edits.add(edit -> edit.url(canonical));
    } catch (BadTarget e) {
      fields.problem("url", String.valueOf(e.getMessage()));
    }
  }

  private void uid(@Nullable String name) {
    if (!given("uid")) {
      return;
    }
    String uid = fields.text("uid", Limits.UID_RULE);
    if (uid == null && name != null) {
      String problem = Limits.UID_RULE.problem(name);
      if (problem != null) {
        fields.problem("uid", problem);
      }
      uid = name;
    }
    RequestForms.refuseIdAsUid(fields, uid, IdKind.ENDPOINT);
    String chosen = uid;
    edits.add(edit -> edit.uid(chosen));
  }

  /** Event types under either of their names, and channels. */
  private void texts() {
    String types = fields.either("eventTypes", "filterTypes");
    int least = whole ? 1 : 0;
    if (given(types)) {
      List<String> patterns =
          fields.texts(
              types, least, Limits.ENDPOINT_EVENT_TYPES, TextRule.of(1, Limits.SUBSCRIPTION));
      refuseBadPatterns(types, patterns == null ? List.of() : patterns);
      edits.add(edit -> edit.subscriptions(patterns == null ? List.of() : patterns));
    }
    if (given("channels")) {
      List<String> channels =
          fields.texts("channels", least, Limits.ENDPOINT_CHANNELS, Limits.CHANNEL_RULE);
      edits.add(edit -> edit.channels(channels == null ? List.of() : channels));
    }
  }

  private void refuseBadPatterns(String field, List<String> patterns) {
    for (String pattern : patterns) {
      try {
        if (Subscription.parse(pattern) instanceof Subscription.Exact(String name)) {
          String problem = checks.types().problem(application, name);
          if (problem != null) {
            fields.problem(field, problem);
          }
        }
      } catch (IllegalArgumentException e) {
        fields.problem(field, String.valueOf(e.getMessage()));
      }
    }
  }

  /** What Svix does not have. */
  private void own() {
    fields.refuseNull("paused", "ordering", "onDeadLetter", "method", "useApplicationSecret");
    if (fields.has("paused")) {
      boolean paused = fields.flag("paused", false);
      edits.add(edit -> edit.paused(paused));
    }
    if (fields.has("ordering")) {
      boolean ordered = RequestForms.isSecond(fields, "ordering", "none", "fifo");
      edits.add(edit -> edit.ordered(ordered));
    }
    if (fields.has("onDeadLetter")) {
      boolean pause = RequestForms.isSecond(fields, "onDeadLetter", "continue", "pause");
      edits.add(edit -> edit.pauseOnDeadLetter(pause));
    }
    if (fields.has("timeoutMs")) {
      Integer timeout = fields.integer("timeoutMs", Limits.TIMEOUT_MIN_MS, Limits.TIMEOUT_MAX_MS);
      edits.add(edit -> edit.timeoutMs(timeout));
    }
    if (fields.has("maxInFlight")) {
      Integer most = fields.integer("maxInFlight", 1, Limits.IN_FLIGHT);
      edits.add(edit -> edit.maxInFlight(most));
    }
    if (fields.has("initialDelayMs")) {
      Integer delay = fields.integer("initialDelayMs", 0, Limits.INITIAL_DELAY_MS);
      edits.add(edit -> edit.initialDelayMs(delay));
    }
    if (fields.has("retryPolicy")) {
      String policy = RequestForms.retryPolicy(fields);
      edits.add(edit -> edit.retryPolicy(policy));
    }
    if (fields.has("profile") && RequestForms.isSecond(fields, "profile", "standard", "agent")) {
      if (!fields.has("initialDelayMs")) {
        edits.add(edit -> edit.initialDelayMs(AgentRoute.Profile.AGENT_DELAY_MS));
      }
      if (!fields.has("retryPolicy")) {
        edits.add(edit -> edit.retryPolicy(AgentRoute.Profile.AGENT_SCHEDULE));
      }
    }
    if (fields.has("filter")) {
      String filter = expression("filter");
      edits.add(edit -> edit.filter(filter));
    }
    if (fields.has("transform")) {
      String transform = expression("transform");
      edits.add(edit -> edit.transform(transform));
    }
    if (fields.has("forwardHeaders")) {
      List<String> names =
          fields.texts(
              "forwardHeaders",
              0,
              ForwardedHeaders.MAX_NAMES,
              TextRule.of(1, HeaderRules.MAX_NAME_LENGTH));
      List<String> wanted = names == null ? List.of() : names;
      wanted.forEach(this::checkForwarded);
      edits.add(edit -> edit.forwardHeaders(wanted));
    }
    if (fields.has("method")) {
      String method = fields.text("method", TextRule.of(1, 10));
      if (method != null && !Limits.METHODS.contains(method)) {
        fields.problem("method", "must be one of " + String.join(", ", Limits.METHODS));
      }
      edits.add(edit -> edit.method(method == null ? "POST" : method));
    }
    if (fields.has("useApplicationSecret")) {
      boolean use = fields.flag("useApplicationSecret", false);
      edits.add(edit -> edit.useApplicationSecret(use));
    }
    if (fields.has("signatureScheme")) {
      String scheme = scheme();
      edits.add(edit -> edit.signatureScheme(scheme));
    }
  }

  private void checkForwarded(String name) {
    String problem = ForwardedHeaders.problem(name);
    if (problem != null) {
      fields.problem("forwardHeaders", "\"" + name + "\": " + problem);
    }
  }

  /** An expression that can be evaluated, or null to have none. */
  private @Nullable String expression(String field) {
    String text = fields.text(field, TextRule.upTo(Limits.EXPRESSION));
    if (text == null || text.isBlank()) {
      return null;
    }
    try {
      checks.expressions().check(text);
    } catch (InvalidExpression | ExpressionFailed e) {
      fields.problem(field, String.valueOf(e.getMessage()));
    }
    return text;
  }

  private @Nullable String scheme() {
    String json = fields.json("signatureScheme", Limits.SCHEME);
    if (json == null) {
      return null;
    }
    try {
      return SignatureScheme.decode(json).encode();
    } catch (IllegalArgumentException e) {
      fields.problem("signatureScheme", String.valueOf(e.getMessage()));
      return null;
    }
  }

  /** The headers of a create, checked. */
  static Map<String, String> headers(Fields fields) {
    Map<String, String> headers =
        fields.textsByName(
            "headers", HeaderRules.MAX_HEADERS, Limits.HEADER_NAME, Limits.HEADER_VALUE);
    if (headers == null) {
      return Map.of();
    }
    headers.forEach((name, value) -> refuseBadHeader(fields, name, value));
    return headers;
  }

  /** The headers of a patch, checked; those to be removed are empty. */
  static Map<String, Optional<String>> headerChanges(Fields fields) {
    Map<String, Optional<String>> given =
        fields.textsOrNullByName(
            "headers", HeaderRules.MAX_HEADERS, Limits.HEADER_NAME, Limits.HEADER_VALUE);
    List<String> removed =
        fields.texts("deleteHeaders", 0, HeaderRules.MAX_HEADERS, Limits.HEADER_NAME);
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    if (given != null) {
      changes.putAll(given);
    }
    if (removed != null) {
      removed.forEach(name -> changes.put(name, Optional.empty()));
    }
    changes.forEach((name, value) -> refuseBadHeader(fields, name, value.orElse("")));
    return changes;
  }

  private static void refuseBadHeader(Fields fields, String name, String value) {
    String problem = HeaderRules.problem(name, value);
    if (problem != null) {
      fields.problem("headers/" + name, problem);
    }
  }

  /** The signing key of a new endpoint: the caller's, or a new one. */
  static SigningKey key(Fields fields, SigningKeyGenerator generator) {
    String scheme = fields.json("signatureScheme", Limits.SCHEME);
    return key(fields, "secret", scheme, null, generator);
  }

  /**
   * The signing key that the caller gave, or a new one.
   *
   * @param scheme how the endpoint signs; a {@code sha256=} scheme takes any text as the key's
   *     bytes
   * @param current the key that is replaced; null if there is none
   */
  static SigningKey key(
      Fields fields,
      String field,
      @Nullable String scheme,
      @Nullable SigningKey current,
      SigningKeyGenerator generator) {
    String text = fields.text(field, TextRule.of(1, Limits.SECRET));
    SignatureScheme signing = known(scheme);
    if (text == null) {
      return generator.next(signing, current);
    }
    try {
      return signing.parseKey(text);
    } catch (IllegalArgumentException e) {
      fields.problem(field, String.valueOf(e.getMessage()).replaceFirst("^secret: ", ""));
      return generator.next(signing, current); // not stored: the problem refuses the request
    }
  }

  private static SignatureScheme known(@Nullable String scheme) {
    try {
      return SignatureScheme.of(scheme);
    } catch (IllegalArgumentException e) {
      return SignatureScheme.byDefault(); // told where the scheme itself is read
    }
  }
}
