package dev.postrider.api;

import dev.postrider.json.Fields;
import dev.postrider.tenant.Environment;
import dev.postrider.tenant.EnvironmentSpec;
import dev.postrider.tenant.EnvironmentStore;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The environment that the caller's key belongs to. */
final class Environments {
  private final EnvironmentStore store;
  private final Consumer<String> changed;

  /**
   * @param changed told the id of an environment after its change
   */
  Environments(EnvironmentStore store, Consumer<String> changed) {
    this.store = store;
    this.changed = changed;
  }

  void get(Call call) {
    answer(call, store.find(call.environmentId()));
  }

  void patch(Call call) throws IOException {
    Fields fields = call.fields();
    String name = fields.has("name") ? fields.requiredText("name", Limits.NAME_RULE) : null;
    fields.refuseNull("strictEventTypes");
    fields.flag("strictEventTypes", false);
    fields.check();
    Environment after =
        store.update(
            call.environmentId(),
            before ->
                new EnvironmentSpec(
                    name == null ? before.name() : name,
                    before
                        .settings()
                        .withStrictEventTypes(
                            fields.flag(
                                "strictEventTypes", before.settings().strictEventTypes()))));
    changed.accept(call.environmentId());
    answer(call, after);
  }

  private static void answer(Call call, @Nullable Environment environment) {
    if (environment == null) {
      throw ApiError.notFound("environment");
    }
    EnvironmentSpec spec = environment.spec();
    call.json(
        200,
        out ->
            out.object(
                o ->
                    o.text("id", environment.id())
                        .text("name", spec.name())
                        .flag("strictEventTypes", spec.settings().strictEventTypes())
                        .time("createdAt", environment.createdAtMs())
                        .time("updatedAt", environment.updatedAtMs())));
  }
}
