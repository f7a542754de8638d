package dev.postrider.api.endpoint;

import dev.postrider.api.form.FieldInput;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.RequestForms;
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
  private static final FieldInput.Checks NO_CHECKS = new FieldInput.Checks() {};

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
    secret();
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

  private void secret() {
    String secret = input.writeOnly().get(EndpointFields.SECRET);
    String problem = secret == null ? null : scheme().keyProblem(secret);
    if (problem != null) {
      fields.problem(EndpointFields.SECRET.name(), problem);
    }
  }

  private SignatureScheme scheme() {
    return SignatureScheme.of(fresh().get(EndpointFields.SIGNATURE_SCHEME));
  }

  /** The signing key of a new endpoint: the caller's, or a new one. */
  SigningKey key(SigningKeyGenerator generator) {
    String secret = input.writeOnly().get(EndpointFields.SECRET);
    return secret == null ? generator.first(scheme()) : scheme().parseKey(secret);
  }

  /** The headers of a new endpoint. */
  Map<String, String> headers() {
    return input.writeOnly().get(EndpointFields.HEADERS);
  }

  /** The headers that replace all others. */
  static Map<String, String> headers(Fields fields) {
    FieldInput input = new FieldInput(fields, true, NO_CHECKS);
    input.read(EndpointFields.HEADERS);
    return input.writeOnly().get(EndpointFields.HEADERS);
  }

  /** Changes of headers; those to be removed are empty. */
  static Map<String, Optional<String>> headerChanges(Fields fields) {
    String name = EndpointFields.HEADERS.name();
    Map<String, Optional<String>> given =
        fields.textsOrNullByName(
            name, HeaderRules.MAX_HEADERS, HeaderRules.NAME_RULE, HeaderRules.VALUE_RULE);
    List<String> removed =
        new FieldInput(fields, false, NO_CHECKS).read(EndpointFields.DELETE_HEADERS);
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    if (given != null) {
      changes.putAll(given);
    }
    if (removed != null) {
      removed.forEach(header -> changes.put(header, Optional.empty()));
    }
    changes.forEach(
        (header, value) -> FieldInput.refuseBadHeader(fields, name, header, value.orElse("")));
    return changes;
  }

  /**
   * The signing key after a rotation: the caller's, or a new one.
   *
   * @param scheme how the endpoint signs; a {@code sha256=} scheme takes any text as the key's
   *     bytes
   * @param current the key that is replaced; null if there is none
   */
  static SigningKey rotatedKey(
      Fields fields,
      SignatureScheme scheme,
      @Nullable SigningKey current,
      SigningKeyGenerator generator) {
    String text = fields.text("key", TextRule.of(1, EndpointFields.MAX_SECRET));
    String problem = text == null ? null : scheme.keyProblem(text);
    if (problem != null) {
      fields.problem("key", problem);
    }
    return text == null || problem != null
        ? generator.next(scheme, current)
        : scheme.parseKey(text);
  }
}
