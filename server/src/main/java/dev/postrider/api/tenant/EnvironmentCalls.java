package dev.postrider.api.tenant;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.form.RequestForms;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.EnvironmentChanged;
import dev.postrider.tenant.EnvironmentSettings;
import dev.postrider.tenant.EnvironmentSpec;
import dev.postrider.tenant.EnvironmentStore;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The API calls for environments: the caller's own, and all of them for keys of the default
 * environment, which belong to the operator.
 */
final class EnvironmentCalls {
  private static final int MAX_ID = 80;

  private final EnvironmentStore store;
  private final ApiKeyCalls keys;
  private final EventPublisher events;
  private final Ids ids;

  EnvironmentCalls(EnvironmentStore store, ApiKeyCalls keys, EventPublisher events, Ids ids) {
    this.store = store;
    this.keys = keys;
    this.events = events;
    this.ids = ids;
  }

  void get(Call call) {
    answer(call, 200, store.find(call.environmentId()));
  }

  void patch(Call call) throws IOException {
    patch(call, call.environmentId());
  }

  void list(Call call) {
    call.refuseUnlessOperator();
    Keyset<String> keyset =
        call.query().page(text -> TextRule.upTo(MAX_ID).problem(text) == null ? text : null);
    Keyset.Page<Environment> page = store.list(keyset);
    call.json(200, Pages.page(page, Environment::id, EnvironmentCalls::write));
  }

  void create(Call call) throws IOException {
    call.refuseUnlessOperator();
    Fields fields = call.fields();
    String name = fields.requiredText("name", Limits.NAME_RULE);
    fields.refuseNull("strictEventTypes", SecrecyForm.HIDE_SECRETS, SecrecyForm.OWN_DATA_KEY);
    EnvironmentSettings settings = settings(fields, EnvironmentSettings.decode("{}"));
    fields.check();
    String id = ids.next().text(IdKind.ENVIRONMENT);
    answer(call, 201, store.create(id, new EnvironmentSpec(name, settings), ids.next()));
  }

  void getNamed(Call call) {
    answer(call, 200, named(call));
  }

  void patchNamed(Call call) throws IOException {
    patch(call, named(call).id());
  }

  /** The first key of an environment must be created with a key of the default environment. */
  void createKey(Call call) throws IOException {
    keys.create(call, named(call).id());
  }

  private Environment named(Call call) {
    call.refuseUnlessOperator();
    Environment found = store.find(call.path("environment"));
    if (found == null) {
      throw ApiError.notFound("environment");
    }
    return found;
  }

  private void patch(Call call, String environmentId) throws IOException {
    Fields fields = call.fields();
    String name = fields.has("name") ? fields.requiredText("name", Limits.NAME_RULE) : null;
    fields.refuseNull("strictEventTypes", SecrecyForm.HIDE_SECRETS, SecrecyForm.OWN_DATA_KEY);
    settings(fields, EnvironmentSettings.decode("{}"));
    fields.check();
    Environment after =
        store.update(
            environmentId,
            before ->
                new EnvironmentSpec(
                    name == null ? before.name() : name, settings(fields, before.settings())),
            ids.next());
    events.publish(new EnvironmentChanged(environmentId));
    answer(call, 200, after);
  }

  /** Fields that are not given stay unchanged; an explicit null removes schedule or retention. */
  private static EnvironmentSettings settings(Fields fields, EnvironmentSettings before) {
    return before.with(
        fields.flag("strictEventTypes", before.strictEventTypes()),
        fields.has("retryPolicy") ? RequestForms.retryPolicy(fields) : before.retryPolicy(),
        fields.has("retention") ? RequestForms.retention(fields) : before.retention(),
        SecrecyForm.read(fields, before.secrecy()));
  }

  private static void answer(Call call, int status, @Nullable Environment environment) {
    if (environment == null) {
      throw ApiError.notFound("environment");
    }
    call.json(status, out -> out.object(o -> write(o, environment)));
  }

  private static void write(JsonOut out, Environment environment) {
    EnvironmentSpec spec = environment.spec();
    out.text("id", environment.id())
        .text("name", spec.name())
        .flag("strictEventTypes", spec.settings().strictEventTypes())
        .textOrNull("retryPolicy", spec.settings().retryPolicy())
        .object("retention", o -> RequestForms.write(o, spec.settings().retention()));
    SecrecyForm.write(out, spec.settings().secrecy());
    out.time("createdAt", environment.createdAt()).time("updatedAt", environment.updatedAt());
  }
}
