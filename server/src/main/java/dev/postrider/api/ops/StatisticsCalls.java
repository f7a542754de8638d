package dev.postrider.api.ops;

import dev.postrider.api.endpoint.EndpointLookup;
import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.TallyOut;
import dev.postrider.api.http.Call;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.Statistics;
import dev.postrider.delivery.Tally;
import dev.postrider.delivery.store.LaneReader;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The API calls for statistics of the last hour, day, week or month. */
final class StatisticsCalls {
  private static final Map<String, Duration> WINDOWS =
      Map.of(
          "1h", Duration.ofHours(1),
          "24h", Duration.ofHours(24),
          "7d", Duration.ofDays(7),
          "30d", Duration.ofDays(30));

  private static final List<String> NAMES = List.of("1h", "24h", "7d", "30d");
  private static final String DEFAULT = "24h";

  private final ApplicationLookup applications;
  private final EndpointLookup endpoints;
  private final LaneReader lanes;
  private final Statistics reader;
  private final TimeSource time;

  StatisticsCalls(
      ApplicationLookup applications,
      EndpointLookup endpoints,
      LaneReader lanes,
      Statistics reader,
      TimeSource time) {
    this.applications = applications;
    this.endpoints = endpoints;
    this.lanes = lanes;
    this.reader = reader;
    this.time = time;
  }

  void ofApplication(Call call) {
    String window = window(call);
    long since = since(window);
    Application application = applications.inPath(call);
    Tally tally =
        reader.tally(
            application.id(),
            null,
            Instant.ofEpochMilli(since),
            Instant.ofEpochMilli(time.nowMs() + 1));
    long messages =
        reader.messages(
            application.id(), Instant.ofEpochMilli(since), Instant.ofEpochMilli(time.nowMs() + 1));
    int waiting = lanes.waitingOf(application.id());
    call.json(
        200,
        out ->
            out.object(
                o -> {
                  o.text("appId", ApplicationLookup.idText(application))
                      .text("window", window)
                      .time("since", since)
                      .number("messages", messages);
                  TallyOut.write(o, tally);
                  pending(o, waiting);
                }));
  }

  void ofEndpoint(Call call) {
    String window = window(call);
    long since = since(window);
    Application application = applications.inPath(call);
    Endpoint endpoint = endpoints.inPath(call, application);
    Tally tally =
        reader.tally(
            application.id(),
            endpoint.id(),
            Instant.ofEpochMilli(since),
            Instant.ofEpochMilli(time.nowMs() + 1));
    int waiting = lanes.onTheWay(endpoint.applicationId(), endpoint.id()).waiting();
    call.json(
        200,
        out ->
            out.object(
                o -> {
                  o.text("endpointId", endpoint.id().text())
                      .text("window", window)
                      .time("since", since);
                  TallyOut.write(o, tally);
                  pending(o, waiting);
                }));
  }

  private static String window(Call call) {
    String window = call.query().oneOfTexts("window", NAMES);
    return window == null ? DEFAULT : window;
  }

  private long since(String window) {
    return time.nowMs() - WINDOWS.getOrDefault(window, Duration.ZERO).toMillis();
  }

  /** Pending deliveries, independent of the time range. */
  private static void pending(JsonOut out, int waiting) {
    out.number("pending", waiting).flag("pendingIsMore", waiting == LaneReader.MAX_COUNTED);
  }
}
