package dev.postrider.api.ops;

import dev.postrider.api.http.Call;
import dev.postrider.engine.services.Pruning;

/** The API calls that start a prune run and show the last one. A run affects all environments. */
final class PruneCalls {
  private final Pruning pruning;

  PruneCalls(Pruning pruning) {
    this.pruning = pruning;
  }

  void ask(Call call) {
    call.refuseUnlessOperator();
    answer(call, 202, pruning.ask());
  }

  void get(Call call) {
    call.refuseUnlessOperator();
    answer(call, 200, pruning.state());
  }

  private static void answer(Call call, int status, Pruning.State state) {
    Pruning.Removed removed = state.removed();
    call.json(
        status,
        out ->
            out.object(
                o -> {
                  o.text("status", status(state));
                  if (state.askedAt() != null) {
                    o.time("requestedAt", state.askedAt());
                  }
                  o.time("startedAt", state.beganAt());
                  if (state.endedAt() != null) {
                    o.time("finishedAt", state.endedAt());
                  }
                  o.number("applications", state.applications())
                      .object(
                          "removed",
                          r ->
                              r.number("messages", removed.messages())
                                  .number("deliveries", removed.deliveries())
                                  .number("attempts", removed.attempts())
                                  .number("payloads", removed.payloads())
                                  .number("idempotencyKeys", removed.idempotencyKeys())
                                  .number("secrets", removed.secrets()));
                }));
  }

  private static String status(Pruning.State state) {
    if (state.endedAt() == null) {
      return "running";
    }
    return state.waiting() ? "waiting" : "idle";
  }
}
