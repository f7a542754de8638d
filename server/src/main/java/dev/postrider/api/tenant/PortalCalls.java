package dev.postrider.api.tenant;

import dev.postrider.api.form.Limits;
import dev.postrider.api.http.Call;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.key.ApiKey;
import dev.postrider.tenant.key.ApiKeyStore;
import dev.postrider.tenant.key.ApiKeys;
import dev.postrider.tenant.key.Capability;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The API calls for portal tokens: for one application, with an expiry, for some actions. */
final class PortalCalls {
  static final Duration LONGEST = Duration.ofDays(7);
  static final Duration SHORTEST = Duration.ofHours(1);
  static final Duration LONGEST_EXPIRY = Duration.ofDays(3);
  static final int MAX_SESSIONS = 1_000;
  static final int MAX_FLAGS = 25;
  static final TextRule SESSION =
      TextRule.matching(64, "[a-zA-Z0-9@_\\-]", "of the characters a-z A-Z 0-9 @ _ -");

  private final ApplicationLookup applications;
  private final ApiKeyStore store;
  private final ApiKeys keys;
  private final Supplier<String> serverUrl;
  private final TimeSource time;

  /**
   * @param serverUrl the public URL
   */
  PortalCalls(
      ApplicationLookup applications,
      ApiKeyStore store,
      ApiKeys keys,
      Supplier<String> serverUrl,
      TimeSource time) {
    this.applications = applications;
    this.store = store;
    this.keys = keys;
    this.serverUrl = serverUrl;
    this.time = time;
  }

  void grant(Call call) throws IOException {
    Fields fields = call.fieldsIfAny();
    Set<Capability> capabilities = capabilities(fields);
    Long seconds = fields.number("expiry", SHORTEST.toSeconds(), LONGEST.toSeconds());
    String session = fields.text("sessionId", SESSION);
    List<String> flags = fields.texts("featureFlags", 0, MAX_FLAGS, Limits.EVENT_TYPE_RULE);
    Fields described = fields.object("application");
    fields.check();
    Application application =
        described == null
            ? applications.named(call.environmentId(), call.path("application"))
            : applications.ensure(call.environmentId(), call.path("application"), described);
    answer(
        call,
        application,
        seconds == null ? LONGEST : Duration.ofSeconds(seconds),
        new ApiKeyStore.Portal(capabilities, session, flags == null ? List.of() : flags));
  }

  /** The older form: all permissions, with the longest expiry. */
  void dashboard(Call call) {
    Application application = applications.named(call.environmentId(), call.path("application"));
    answer(
        call,
        application,
        LONGEST,
        new ApiKeyStore.Portal(EnumSet.allOf(Capability.class), null, List.of()));
  }

  private static Set<Capability> capabilities(Fields fields) {
    boolean readOnly = fields.flag("readOnly", false);
    List<String> names =
        fields.texts("capabilities", 0, Capability.values().length, TextRule.of(1, 64));
    if (readOnly) {
      return Set.of(Capability.VIEW_BASE);
    }
    if (names == null) {
      return EnumSet.allOf(Capability.class);
    }
    Set<Capability> wanted = EnumSet.noneOf(Capability.class);
    for (String name : names) {
      Capability capability = Capability.named(name);
      if (capability == null) {
        fields.problem("capabilities", "has no " + name);
      } else {
        wanted.add(capability);
      }
    }
    return wanted;
  }

  private void answer(
      Call call, Application application, Duration lifetime, ApiKeyStore.Portal portal) {
    ApiKeyStore.Created created =
        store.create(
            new ApiKeyStore.NewKey(
                call.environmentId(),
                application.id(),
                "portal",
                ApiKey.Role.FULL,
                Instant.ofEpochMilli(time.nowMs() + lifetime.toMillis()),
                portal));
    String url = serverUrl.get() + "/portal#token=" + created.token();
    call.json(200, out -> out.object(o -> o.text("url", url).text("token", created.token())));
  }

  /** Expires the portal tokens of the application, or those of some sessions, at once or soon. */
  void expireAll(Call call) throws IOException {
    Application application = applications.named(call.environmentId(), call.path("application"));
    Fields fields = call.fieldsIfAny();
    Long seconds = fields.number("expiry", 0, LONGEST_EXPIRY.toSeconds());
    List<String> sessions = fields.texts("sessionIds", 0, MAX_SESSIONS, SESSION);
    fields.check();
    long at = time.nowMs() + (seconds == null ? 0 : seconds * 1_000);
    store.expirePortals(application.id(), sessions == null ? List.of() : sessions, at);
    keys.forget();
    call.noContent();
  }
}
