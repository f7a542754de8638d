package dev.postrider.api.ops;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.ConfigurationFile;
import dev.postrider.configfile.plan.Change;
import dev.postrider.configfile.plan.Configurator;
import dev.postrider.configfile.plan.Plan;
import dev.postrider.configfile.plan.Terms;
import dev.postrider.configfile.remote.RemoteState;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.tenant.Environment;
import java.io.IOException;
import java.util.List;

/**
 * The API calls for the configuration file: a document with the sections of {@code postrider.yaml}
 * as JSON, with variables resolved, is compared with the environment or applied to it.
 */
final class ConfigurationCalls {
  /** The owner of a request that has neither owner nor file name. */
  private static final String BY_CALL = "api";

  private final Configurator configurator;
  private final HealthSource health;

  ConfigurationCalls(Configurator configurator, HealthSource health) {
    this.configurator = configurator;
    this.health = health;
  }

  /** The last apply, and the objects that belong to it. */
  void state(Call call) {
    Configurator.State state = configurator.state(call.environmentId());
    // The server's own file declares the default environment.
    RemoteState remote =
        call.environmentId().equals(Environment.DEFAULT_ID) ? health.now().configuration() : null;
    call.json(
        200,
        out ->
            out.object(
                o -> {
                  o.number("version", state == null ? 0 : state.version());
                  o.textOrNull("appliedBy", state == null ? null : state.by());
                  if (state != null) {
                    o.time("appliedAt", state.atMs());
                  }
                  o.array(
                      "items",
                      state == null ? List.<Configurator.Owned>of() : state.items(),
                      (i, item) ->
                          i.text("kind", item.kind().text())
                              .text("name", item.name())
                              .text("owner", item.owner()));
                  if (remote != null) {
                    o.object(
                        "remote",
                        r ->
                            Health.remote(r.text("location", remote.location()), remote)
                                .textOrNull("detail", remote.detail()));
                  }
                }));
  }

  void plan(Call call) throws IOException {
    answer(call, plan(call, false));
  }

  void apply(Call call) throws IOException {
    answer(call, plan(call, true));
  }

  private Plan plan(Call call, boolean apply) throws IOException {
    Terms terms = terms(call.query());
    byte[] body = call.body();
    try {
      ConfigurationFile file = ConfigurationFile.parseJson(body);
      return apply
          ? configurator.apply(call.environmentId(), file.document(), terms, "call")
          : configurator.plan(call.environmentId(), file.document(), terms);
    } catch (BadFile e) {
      throw new InvalidFields(
          e.problems().stream()
              .map(bad -> new Problem(List.of("body", bad.key()), bad.text(), Problem.VALUE))
              .toList());
    }
  }

  private static Terms terms(Query query) {
    String owner = query.text("owner", Terms.OWNER_RULE);
    String file = query.text("file", Terms.OWNER_RULE);
    return new Terms(
        owner != null ? owner : file != null ? file : BY_CALL,
        owner != null,
        query.flag("adopt", false) ? Terms.Takeover.EVERYTHING : Terms.Takeover.NOTHING);
  }

  private static void answer(Call call, Plan plan) {
    call.json(
        200, out -> out.object(o -> o.array("changes", plan.changes(), ConfigurationCalls::write)));
  }

  private static void write(JsonOut out, Change change) {
    out.text("action", change.action().text())
        .text("kind", change.kind().text())
        .text("name", change.name())
        .array(
            "fields",
            change.fields(),
            (f, field) ->
                f.text("name", field.name())
                    .textOrNull("before", field.before())
                    .textOrNull("after", field.after()));
  }
}
