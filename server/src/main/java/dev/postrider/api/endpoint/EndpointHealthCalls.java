package dev.postrider.api.endpoint;

import dev.postrider.api.form.Limits;
import dev.postrider.api.form.TallyOut;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.Statistics;
import dev.postrider.delivery.Tally;
import dev.postrider.delivery.store.LaneReader;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The API calls that read the health and statistics of an endpoint, pause and resume it, and reset
 * its circuit breaker.
 */
final class EndpointHealthCalls {
  private static final Duration DEFAULT_WINDOW = Duration.ofDays(28);
  private static final Duration LATELY = Duration.ofMinutes(10);

  private final ApplicationLookup applications;
  private final EndpointLookup endpoints;
  private final EndpointStore store;
  private final LaneReader lanes;
  private final Statistics statistics;
  private final TimeSource time;

  EndpointHealthCalls(
      ApplicationLookup applications,
      EndpointStore store,
      LaneReader lanes,
      Statistics statistics,
      TimeSource time) {
    this.applications = applications;
    this.endpoints = new EndpointLookup(store);
    this.store = store;
    this.lanes = lanes;
    this.statistics = statistics;
    this.time = time;
  }

  void stats(Call call) {
    Instant since = call.query().time("since");
    Instant until = call.query().time("until");
    Application application = applications.inPath(call);
    Endpoint endpoint = endpoints.inPath(call, application);
    long to = until == null ? time.nowMs() + 1 : until.toEpochMilli();
    long from = since == null ? to - DEFAULT_WINDOW.toMillis() : since.toEpochMilli();
    if (from > to) {
      throw new InvalidFields(Problem.inQuery("since", "must not be after until"));
    }
    if (to - from > Limits.STATS_WINDOW.toMillis()) {
      throw new InvalidFields(
          Problem.inQuery(
              "since", "may be at most " + Limits.STATS_WINDOW.toDays() + " days before until"));
    }
    Tally tally =
        statistics.tally(
            application.id(), endpoint.id(), Instant.ofEpochMilli(from), Instant.ofEpochMilli(to));
    LaneReader.OnTheWay now = lanes.onTheWay(endpoint.applicationId(), endpoint.id());
    call.json(
        200,
        out ->
            out.object(
                o ->
                    o.number("success", tally.delivered())
                        .number("pending", now.waiting() - now.retrying())
                        .number("sending", now.sending() + now.retrying())
                        .number("fail", tally.deadLetter())
                        .number("canceled", tally.canceled())));
  }

  void health(Call call) {
    Application application = applications.inPath(call);
    Endpoint endpoint = endpoints.inPath(call, application);
    LaneReader.Health health = lanes.health(application.id(), endpoint.id());
    if (health == null) {
      throw ApiError.notFound("endpoint");
    }
    Tally lately = statistics.last(application.id(), endpoint.id(), LATELY);
    call.json(
        200,
        out ->
            out.object(
                o ->
                    o.text("endpointId", endpoint.id().text())
                        .text("health", health.health().text())
                        .text("circuit", health.circuit().text())
                        .number("consecutiveFailures", health.consecutiveFailures())
                        .timeOrNull("openUntil", health.openUntilMs())
                        .timeOrNull("lastSuccessAt", ifAny(health.lastSuccessAtMs()))
                        .timeOrNull("lastFailureAt", ifAny(health.lastFailureAtMs()))
                        .timeOrNull("failingSince", ifAny(health.failingSinceMs()))
                        .flag("paused", health.paused())
                        .flag("disabled", endpoint.spec().get(EndpointFields.DISABLED))
                        .number("waiting", health.waiting())
                        .flag("waitingIsMore", health.waiting() == LaneReader.MAX_COUNTED)
                        .object("lastTenMinutes", recent -> TallyOut.write(recent, lately))));
  }

  /** Lanes store zero for a time that is not set. */
  private static @Nullable Long ifAny(@Nullable Long atMs) {
    return atMs == null || atMs == 0 ? null : atMs;
  }

  void pause(Call call) {
    paused(call, true);
  }

  void resume(Call call) {
    paused(call, false);
  }

  private void paused(Call call, boolean paused) {
    Application application = applications.inPath(call);
    Endpoint after =
        store.update(
            application.id(),
            call.path("endpoint"),
            spec -> spec.with(EndpointFields.PAUSED, paused));
    if (after == null) {
      throw ApiError.notFound("endpoint");
    }
    call.json(200, out -> out.object(o -> EndpointCalls.write(o, after)));
  }

  void resetCircuit(Call call) {
    Application application = applications.inPath(call);
    store.resetCircuit(application, endpoints.inPath(call, application));
    call.noContent();
  }
}
