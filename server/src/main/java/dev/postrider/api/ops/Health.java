package dev.postrider.api.ops;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.http.Call;
import dev.postrider.configfile.remote.RemoteState;

/** The API calls for health checks: without a body for Svix clients, with one for operators. */
final class Health {
  private final HealthSource source;

  Health(HealthSource source) {
    this.source = source;
  }

  /** The server responds. */
  void ping(Call call) {
    call.noContent();
  }

  void brief(Call call) {
    HealthSource.Report report = source.now();
    if (report.ok()) {
      call.noContent();
    } else {
      answer(call, report);
    }
  }

  void full(Call call) {
    answer(call, source.now());
  }

  private static void answer(Call call, HealthSource.Report report) {
    String reason = report.reason();
    call.json(
        reason == null ? 200 : 503,
        out ->
            out.object(
                o -> {
                  o.text("status", reason == null ? "ok" : "degraded")
                      .text("instance", report.instance())
                      .text("database", report.databaseReachable() ? "ok" : "unreachable")
                      .flag("stopping", report.stopping());
                  if (reason != null) {
                    o.text("reason", reason);
                  }
                  HealthSource.OpenDeliveries open = report.open();
                  if (open != null) {
                    o.object("deliveries", d -> deliveries(d, open));
                  }
                  RemoteState configuration = report.configuration();
                  if (configuration != null) {
                    o.object("configuration", c -> remote(c, configuration));
                  }
                }));
  }

  private static void deliveries(JsonOut out, HealthSource.OpenDeliveries open) {
    out.number("waiting", open.waiting())
        .number("oldestSeconds", open.oldestSeconds())
        .number("deadLetters", open.deadLetters())
        .flag("approximated", open.approximated())
        .time("measuredAt", open.measuredAtMs());
  }

  /** Without the URL and the errors, which are for operators. */
  static JsonOut remote(JsonOut out, RemoteState state) {
    return out.text("state", state.health().text())
        .textOrNull("version", state.version())
        .timeOrNull("checkedAt", state.checkedAtMs())
        .timeOrNull("appliedAt", state.appliedAtMs());
  }
}
