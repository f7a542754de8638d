package dev.postrider.api.endpoint;

import dev.postrider.api.form.FieldInput;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.RequestForms;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.field.Field;
import dev.postrider.field.FieldValues;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.json.TextRule;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.tenant.Application;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads an endpoint from a request. */
final class EndpointForm {
  private final Fields fields;
  private final FieldInput input;

  private EndpointForm(
      Fields fields, boolean whole, EndpointChecks checks, Application application) {
    this.fields = fields;
    this.input = new FieldInput(fields, whole, checks.of(application).forFields(application));
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
    if (fields.text("secret", TextRule.of(1, Limits.SECRET)) != null) {
      fields.problem("secret", "cannot be patched; use POST …/secret/rotate");
    }
    EndpointForm form = new EndpointForm(fields, false, checks, application);
    form.read(null);
    return form;
  }

  EndpointSpec fresh() {
    return new EndpointSpec(input.changes().onto(FieldValues.NONE));
  }

  /** The change to a stored endpoint. */
  UnaryOperator<EndpointSpec> change() {
    return before -> {
      EndpointSpec after = new EndpointSpec(input.changes().onto(before.values()));
      if (after.differs(EndpointFields.ORDERED, before)) {
        throw new InvalidFields(
            Problem.inBody("ordering", "cannot be changed later; create another endpoint"));
      }
      return after;
    };
  }

  private void read(@Nullable String name) {
    for (Field<?> field : EndpointFields.ALL) {
      if (field == EndpointFields.UID) {
        uid(name);
      } else {
        input.read(field);
      }
    }
    profile();
    fields.unsupported("oauth", "mtls", "ca");
    fields.check();
  }

  private void uid(@Nullable String name) {
    if (!input.isGiven(EndpointFields.UID)) {
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
    input.changes().set(EndpointFields.UID, uid);
  }

  /** A delay and a schedule for agents, unless the caller has their own. */
  private void profile() {
    if (fields.has("profile") && RequestForms.isSecond(fields, "profile", "standard", "agent")) {
      if (!input.isGiven(EndpointFields.INITIAL_DELAY_MS)) {
        input.changes().set(EndpointFields.INITIAL_DELAY_MS, AgentRoute.Profile.AGENT_DELAY_MS);
      }
      if (!input.isGiven(EndpointFields.RETRY_POLICY)) {
        input.changes().set(EndpointFields.RETRY_POLICY, AgentRoute.Profile.AGENT_SCHEDULE);
      }
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
      return SignatureScheme.byDefault(); // the problem is reported where the scheme is read
    }
  }
}
