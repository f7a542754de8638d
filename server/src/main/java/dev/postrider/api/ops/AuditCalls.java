package dev.postrider.api.ops;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditEntry;
import dev.postrider.audit.AuditStore;
import dev.postrider.id.ApiKeyId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.TextRule;
import dev.postrider.storage.Keyset;
import org.jspecify.annotations.Nullable;

/** The API calls that read the audit log. */
final class AuditCalls {
  private final ApplicationLookup applications;
  private final AuditStore store;

  AuditCalls(ApplicationLookup applications, AuditStore store) {
    this.applications = applications;
    this.store = store;
  }

  void list(Call call) {
    Query query = call.query();
    String application = query.text("application", Limits.UID_RULE);
    AuditStore.Filter filter =
        new AuditStore.Filter(
            query.oneOfTexts("action", AuditAction.texts()),
            query.text("object_kind", TextRule.of(1, 64)),
            query.text("object_id", TextRule.of(1, Limits.UID)),
            application == null ? null : applications.named(call.environmentId(), application).id(),
            key(query),
            query.time("after"),
            query.time("before"));
    Keyset<Id> keyset = query.page(text -> Id.parse(IdKind.AUDIT, text));
    Keyset.Page<AuditEntry> page = store.list(call.environmentId(), filter, keyset);
    call.json(200, Pages.page(page, entry -> entry.id().text(IdKind.AUDIT), AuditCalls::write));
  }

  private static @Nullable ApiKeyId key(Query query) {
    String text = query.text("key_id", TextRule.of(1, 64));
    ApiKeyId id = text == null ? null : ApiKeyId.parse(text);
    if (text != null && id == null) {
      throw query.wrong("key_id", "must be the id of an API key");
    }
    return id;
  }

  private static void write(JsonOut out, AuditEntry entry) {
    out.text("id", entry.id().text(IdKind.AUDIT))
        .text("action", entry.action())
        .text("objectKind", entry.objectKind())
        .text("objectId", entry.objectId())
        .textOrNull(
            "applicationId", entry.applicationId() == null ? null : entry.applicationId().text())
        .text("actor", entry.actorKind())
        .textOrNull("keyId", entry.keyId() == null ? null : entry.keyId().text())
        .time("at", entry.id().epochMs());
  }
}
