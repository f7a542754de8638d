package dev.postrider.api.tenant;

import dev.postrider.api.form.Limits;
import dev.postrider.api.form.RequestForms;
import dev.postrider.field.CommonRules;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.tenant.ApplicationSettings;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.Grant;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads an application from a request. */
final class ApplicationForm {
  private static final String IDEMPOTENCY_WINDOW = "idempotencyWindowMs";

  /** What only the environment decides about an application. */
  static final List<String> GRANTED =
      List.of(
          "uid",
          "throttleRate",
          "rateLimit",
          "active",
          "limits",
          "retention",
          IDEMPOTENCY_WINDOW,
          SecrecyForm.HIDE_SECRETS,
          SecrecyForm.OWN_DATA_KEY);

  private ApplicationForm() {}

  /** As created by a POST. */
  static ApplicationSpec create(Fields fields) {
    return create(fields, null);
  }

  /**
   * As created under that name.
   *
   * @param name from the path: the uid if the body has none; null if the path has none
   */
  static ApplicationSpec create(Fields fields, @Nullable String name) {
    String uid = fields.text("uid", Limits.UID_RULE);
    ApplicationSpec spec =
        new ApplicationSpec(
            uid != null ? uid : uidOf(fields, name),
            fields.requiredText("name", Limits.NAME_RULE),
            RequestForms.metadata(fields),
            fields.integer(RequestForms.throttleField(fields), 1, Limits.THROTTLE),
            fields.flag("active", true),
            settings(fields, ApplicationSettings.NONE));
    RequestForms.refuseIdAsUid(fields, spec.uid(), IdKind.APPLICATION);
    fields.check();
    return spec;
  }

  /** As created by the way under that uid; the body may repeat it, but name no other. */
  static ApplicationSpec under(Fields fields, String uid) {
    String given = fields.text("uid", Limits.UID_RULE);
    if (given != null && !given.equals(uid)) {
      fields.problem("uid", "must be the same as in the path, or be left out");
    }
    return create(fields, uid);
  }

  private static @Nullable String uidOf(Fields fields, @Nullable String name) {
    if (name == null || name.startsWith(IdKind.APPLICATION.prefix())) {
      return null;
    }
    String problem = Limits.UID_RULE.problem(name);
    if (problem != null) {
      fields.problem("uid", problem);
    }
    return name;
  }

  /** A PUT: what Svix knows is replaced, our own fields stay unless given. */
  static UnaryOperator<ApplicationSpec> replace(Fields fields, String name) {
    ApplicationSpec fresh = create(fields, name);
    boolean hasActive = fields.has("active");
    return before ->
        new ApplicationSpec(
            fresh.uid(),
            fresh.name(),
            fresh.metadata(),
            fresh.throttleRate(),
            hasActive ? fresh.active() : before.active(),
            settings(fields, before.settings()));
  }

  /** A PATCH: only what is given changes. */
  static UnaryOperator<ApplicationSpec> patch(Fields fields) {
    fields.refuseNull("metadata", "active", SecrecyForm.HIDE_SECRETS, SecrecyForm.OWN_DATA_KEY);
    String uid = fields.text("uid", Limits.UID_RULE);
    String name = fields.has("name") ? fields.requiredText("name", Limits.NAME_RULE) : null;
    String metadata = RequestForms.metadata(fields);
    String throttleField = RequestForms.throttleField(fields);
    Integer throttle = fields.integer(throttleField, 1, Limits.THROTTLE);
    RequestForms.refuseIdAsUid(fields, uid, IdKind.APPLICATION);
    fields.flag("active", true);
    settings(fields, ApplicationSettings.NONE);
    fields.check();
    return before ->
        new ApplicationSpec(
            fields.has("uid") ? uid : before.uid(),
            name != null ? name : before.name(),
            fields.has("metadata") ? metadata : before.metadata(),
            fields.has(throttleField) ? throttle : before.throttleRate(),
            fields.flag("active", before.active()),
            settings(fields, before.settings()));
  }

  private static ApplicationSettings settings(Fields fields, ApplicationSettings before) {
    Fields limits = fields.object("limits");
    return new ApplicationSettings(
        fields.has("retryPolicy") ? RequestForms.retryPolicy(fields) : before.retryPolicy(),
        limit(limits, "maxEndpoints", Limits.MAX_ENDPOINTS, before.maxEndpoints()),
        fields.has("retention") ? RequestForms.retention(fields) : before.retention(),
        limit(limits, "requestsPerSecond", Limits.REQUESTS_PER_SECOND, before.requestsPerSecond()),
        limit(limits, "maxPayloadBytes", Limits.PAYLOAD_BYTES, before.maxPayloadBytes()),
        fields.has("defaultSubscription")
            ? RequestForms.subscriptions(fields, "defaultSubscription", 0)
            : before.defaultSubscription(),
        grant(limits, before.grant()),
        fields.has(IDEMPOTENCY_WINDOW)
            ? fields.integer(
                IDEMPOTENCY_WINDOW,
                CommonRules.MIN_IDEMPOTENCY_WINDOW_MS,
                CommonRules.MAX_IDEMPOTENCY_WINDOW_MS)
            : before.idempotencyWindowMs(),
        SecrecyForm.read(fields, before.secrecy()));
  }

  /** How far its endpoints may go; an explicit null is the default again. */
  private static Grant grant(@Nullable Fields limits, Grant before) {
    if (limits == null) {
      return before;
    }
    Integer timeout = before.timeoutMs();
    if (limits.has("timeoutMs")) {
      timeout = limits.integer("timeoutMs", Limits.TIMEOUT_MIN_MS, Limits.TIMEOUT_MAX_MS);
    }
    boolean fifo =
        limits.has("ordering")
            ? RequestForms.isSecond(limits, "ordering", "none", "fifo")
            : before.fifo();
    return new Grant(
        limit(limits, "maxInFlight", Limits.IN_FLIGHT, before.maxInFlight()), timeout, fifo);
  }

  /** An explicit null takes the limit away. */
  private static @Nullable Integer limit(
      @Nullable Fields limits, String name, int most, @Nullable Integer before) {
    return limits != null && limits.has(name) ? limits.integer(name, 1, most) : before;
  }
}
