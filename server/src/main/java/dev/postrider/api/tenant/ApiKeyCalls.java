package dev.postrider.api.tenant;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.form.RequestForms;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.id.ApiKeyId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import dev.postrider.json.Times;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.key.ApiKey;
import dev.postrider.tenant.key.ApiKey.Role;
import dev.postrider.tenant.key.ApiKeyStore;
import dev.postrider.tenant.key.ApiKeys;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Creates, lists and revokes API keys. */
final class ApiKeyCalls {
  private static final String FULL = "full";
  private static final String READ_ONLY = "read_only";

  private final ApplicationLookup applications;
  private final ApiKeyStore store;
  private final ApiKeys keys;
  private final TimeSource time;

  ApiKeyCalls(ApplicationLookup applications, ApiKeyStore store, ApiKeys keys, TimeSource time) {
    this.applications = applications;
    this.store = store;
    this.keys = keys;
    this.time = time;
  }

  void list(Call call) {
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.API_KEY, text));
    Keyset.Page<ApiKey> page = store.list(call.environmentId(), keyset);
    call.json(200, Pages.page(page, ApiKeyCalls::idText, ApiKeyCalls::write));
  }

  void create(Call call) throws IOException {
    create(call, call.environmentId());
  }

  void create(Call call, String environmentId) throws IOException {
    Fields fields = call.fields();
    String name = fields.requiredText("name", Limits.NAME_RULE);
    Role role = role(fields);
    Instant expiresAt = expiry(fields, call.key());
    String applicationName = fields.text("applicationId", Limits.UID_RULE);
    fields.check();
    Application application =
        applicationName == null ? null : applications.named(environmentId, applicationName);
    ApiKeyStore.Created created =
        store.create(
            new ApiKeyStore.NewKey(
                environmentId,
                application == null ? null : application.id(),
                name,
                role,
                expiresAt));
    call.json(
        201,
        out ->
            out.object(
                o -> {
                  write(o, created.key());
                  o.text("token", created.token());
                }));
  }

  private static Role role(Fields fields) {
    String role = fields.text("role", TextRule.upTo(32));
    return switch (role) {
      case null -> Role.FULL;
      case FULL -> Role.FULL;
      case READ_ONLY -> Role.READ_ONLY;
      default -> {
        fields.problem("role", "must be " + FULL + " or " + READ_ONLY);
        yield Role.READ_ONLY;
      }
    };
  }

  /** A key does not live longer than the credential that creates it. */
  private @Nullable Instant expiry(Fields fields, ApiKey creator) {
    Instant expiry = RequestForms.time(fields, "expiresAt");
    if (expiry != null && expiry.toEpochMilli() <= time.nowMs()) {
      fields.problem("expiresAt", "must be in the future");
    }
    Instant latest = creator.expiresAt();
    if (latest != null && (expiry == null || expiry.isAfter(latest))) {
      fields.problem(
          "expiresAt",
          "is required and must be at most "
              + Times.text(latest)
              + ", the expiry time of the credential of this request");
    }
    return expiry;
  }

  void revoke(Call call) {
    Id id = Id.parse(IdKind.API_KEY, call.path("key"));
    if (id == null || !store.revoke(call.environmentId(), new ApiKeyId(id))) {
      throw ApiError.notFound("API key");
    }
    keys.forget();
    call.noContent();
  }

  /**
   * Revokes the key of the caller if it belongs to an application and expires, as a portal token
   * does.
   */
  void logout(Call call) {
    ApiKey key = call.key();
    if (key.applicationId() == null || key.expiresAt() == null || !key.isStored()) {
      throw ApiError.notImplemented(
          "only an API key of an application with an expiry time can log out; revoke other keys"
              + " with DELETE /api/v1/auth/api-key/{id}");
    }
    store.revoke(key.environmentId(), key.id());
    keys.forget();
    call.noContent();
  }

  private static String idText(ApiKey key) {
    return key.id().text();
  }

  private static void write(JsonOut out, ApiKey key) {
    out.text("id", idText(key))
        .text("name", key.name())
        .text("prefix", key.prefix())
        .text(
            "role",
            switch (key.role()) {
              case FULL -> FULL;
              case READ_ONLY -> READ_ONLY;
            })
        .textOrNull(
            "applicationId", key.applicationId() == null ? null : key.applicationId().text())
        .time("createdAt", key.createdAt())
        .timeOrNull("expiresAt", key.expiresAt())
        .timeOrNull("lastUsedAt", key.lastUsedAt())
        .timeOrNull("revokedAt", key.revokedAt());
  }
}
