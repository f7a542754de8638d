package dev.postrider.api.tenant;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.key.ApiKey;
import dev.postrider.tenant.key.ApiKeys;
import dev.postrider.tenant.key.Integration;
import dev.postrider.tenant.key.IntegrationStore;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The API calls for integrations. */
final class IntegrationCalls {
  private final ApplicationLookup applications;
  private final IntegrationStore store;
  private final ApiKeys keys;

  IntegrationCalls(ApplicationLookup applications, IntegrationStore store, ApiKeys keys) {
    this.applications = applications;
    this.store = store;
    this.keys = keys;
  }

  /** The fields of an integration in a request. */
  private record Form(String name, List<String> featureFlags) {
    static Form of(Call call) throws IOException {
      Fields fields = call.fields();
      String name = fields.requiredText("name", Limits.NAME_RULE);
      List<String> flags =
          fields.texts("featureFlags", 0, PortalCalls.MAX_FLAGS, Limits.EVENT_TYPE_RULE);
      fields.check();
      Form form = new Form(name, flags == null ? List.of() : flags.stream().distinct().toList());
      refuseBeyond(call.key(), form.featureFlags());
      return form;
    }
  }

  /** An integration's key shows no event type that its holder's own token does not show. */
  private static void refuseBeyond(ApiKey key, List<String> featureFlags) {
    Set<String> own = key.featureFlags();
    if (own != null && !own.containsAll(featureFlags)) {
      throw ApiError.forbidden(
          "this token does not have the feature flags of the integration: " + featureFlags);
    }
  }

  void list(Call call) {
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.INTEGRATION, text));
    Keyset.Page<Integration> page = store.list(applications.inPath(call).id(), keyset);
    call.json(200, Pages.page(page, IntegrationCalls::idText, IntegrationCalls::write));
  }

  void create(Call call) throws IOException {
    Form form = Form.of(call);
    Application application = applications.inPath(call);
    answer(call, 201, store.create(application, form.name(), form.featureFlags()));
  }

  void get(Call call) {
    answer(call, 200, inPath(call));
  }

  void put(Call call) throws IOException {
    Form form = Form.of(call);
    Integration before = inPath(call);
    answer(
        call,
        200,
        store.update(before.applicationId(), before.id(), form.name(), form.featureFlags()));
  }

  void delete(Call call) {
    if (!store.delete(inPath(call))) {
      throw ApiError.notFound("integration");
    }
    keys.forget();
    call.noContent();
  }

  void key(Call call) {
    HiddenSecrets.refuseIfHidden(applications.inPath(call));
    answerKey(call, store.key(call.environmentId(), withinReach(call).id()));
  }

  void rotateKey(Call call) {
    String key = store.rotate(applications.inPath(call), withinReach(call));
    keys.forget();
    answerKey(call, key);
  }

  /** The integration in the path, if the caller may have its key. */
  private Integration withinReach(Call call) {
    Integration integration = inPath(call);
    refuseBeyond(call.key(), integration.featureFlags());
    return integration;
  }

  private Integration inPath(Call call) {
    Integration found = store.find(applications.inPath(call).id(), call.path("integration"));
    if (found == null) {
      throw ApiError.notFound("integration");
    }
    return found;
  }

  private static void answerKey(Call call, @Nullable String key) {
    if (key == null) {
      throw ApiError.notFound("integration");
    }
    call.json(200, out -> out.object(o -> o.text("key", key)));
  }

  private static void answer(Call call, int status, @Nullable Integration integration) {
    if (integration == null) {
      throw ApiError.notFound("integration");
    }
    call.json(status, out -> out.object(o -> write(o, integration)));
  }

  private static String idText(Integration integration) {
    return integration.id().text();
  }

  private static void write(JsonOut out, Integration integration) {
    out.text("id", idText(integration))
        .text("name", integration.name())
        .texts("featureFlags", integration.featureFlags())
        .time("createdAt", integration.createdAt())
        .time("updatedAt", integration.updatedAt());
  }
}
