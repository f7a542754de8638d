package dev.postrider.api.ops;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.Statistics;
import dev.postrider.delivery.Tally;
import dev.postrider.delivery.store.AttemptReader;
import dev.postrider.endpoint.EndpointCounts;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The API calls for statistics in the format of Svix clients. */
final class AttemptStatistics {
  private static final String HOUR = "OneHour";
  private static final String FIVE_MINUTES = "FiveMinutes";
  private static final Map<String, Duration> PERIODS =
      Map.of(
          "OneDay",
          Duration.ofDays(1),
          HOUR,
          Duration.ofHours(1),
          FIVE_MINUTES,
          Duration.ofMinutes(5));

  /** Maximum and default number of periods. */
  private static final int MAX_PERIODS = 400;

  private static final int DEFAULT_PERIODS = 24;

  private final ApplicationLookup applications;
  private final Statistics reader;
  private final AttemptReader attempts;
  private final EndpointCounts counts;
  private final TimeSource time;

  AttemptStatistics(
      ApplicationLookup applications,
      Statistics reader,
      AttemptReader attempts,
      EndpointCounts counts,
      TimeSource time) {
    this.applications = applications;
    this.attempts = attempts;
    this.reader = reader;
    this.counts = counts;
    this.time = time;
  }

  /** The attempts of an application, period by period. */
  void ofApplication(Call call) {
    Query query = call.query();
    String wanted = query.oneOfTexts("period", PERIODS.keySet().stream().sorted().toList());
    String period = wanted == null ? HOUR : wanted;
    long step = PERIODS.getOrDefault(period, Duration.ofHours(1)).toMillis();
    Instant start = query.time("startDate");
    Instant end = query.time("endDate");
    refuseTypes(query);
    Application application = applications.inPath(call);
    // Nothing is counted ahead of its time.
    long last = end == null ? time.nowMs() + 1 : Math.min(end.toEpochMilli(), time.nowMs() + 1);
    long until = Math.ceilDiv(last, step) * step;
    long since =
        start == null
            ? until - DEFAULT_PERIODS * step
            : Math.floorDiv(start.toEpochMilli(), step) * step;
    refuseUnfit(since, until, step, period);
    List<Tally> tallies = new ArrayList<>();
    for (long from = since; from < until; from += step) {
      tallies.add(
          reader.tally(
              application.id(),
              null,
              Instant.ofEpochMilli(from),
              Instant.ofEpochMilli(from + step)));
    }
    call.json(
        200,
        out ->
            out.object(
                o ->
                    o.time("startDate", since)
                        .time("endDate", until)
                        .text("period", period)
                        .object(
                            "data",
                            data ->
                                data.numbers("successCount", numbers(tallies, Tally::delivered))
                                    .numbers("failureCount", numbers(tallies, Tally::failed))
                                    .numbers("canceledCount", numbers(tallies, Tally::canceled)))));
  }

  /** The attempts of a window by event type, counted where they are stored. */
  void byEventType(Call call) {
    Application application = applications.inPath(call);
    Query query = call.query();
    long since = required(query, "since");
    long until = required(query, "until");
    List<String> types = query.eventTypes();
    if (since >= until) {
      throw query.wrong("since", "must be before until");
    }
    List<AttemptReader.OfType> counted =
        attempts.byEventType(
            application.id(),
            Instant.ofEpochMilli(since),
            Instant.ofEpochMilli(until),
            Limits.COUNTED_ATTEMPTS);
    if (counted == null) {
      throw query.wrong(
          "since",
          "must be later: the time range contains more than "
              + Limits.COUNTED_ATTEMPTS
              + " attempts");
    }
    List<AttemptReader.OfType> wanted =
        counted.stream()
            .filter(count -> types.isEmpty() || types.contains(count.eventType()))
            .toList();
    call.json(
        200,
        out ->
            out.object(
                o ->
                    o.object("by_event_type", each -> wanted.forEach(count -> write(each, count)))
                        .number("total_success", sum(wanted, AttemptReader.OfType::success))
                        .number("total_failure", sum(wanted, AttemptReader.OfType::failure))
                        .number("total_canceled", 0) // what is canceled has no attempt
                        .time("since", since)
                        .time("until", until)));
  }

  private static long required(Query query, String name) {
    Instant time = query.time(name);
    if (time == null) {
      throw query.wrong(name, "is required");
    }
    return time.toEpochMilli();
  }

  private static void write(JsonOut out, AttemptReader.OfType count) {
    out.object(
        count.eventType(),
        o ->
            o.number("success", count.success())
                .number("failure", count.failure())
                .number("canceled", 0));
  }

  private static long sum(
      List<AttemptReader.OfType> counts, ToLongFunction<AttemptReader.OfType> number) {
    return counts.stream().mapToLong(number).sum();
  }

  private static void refuseTypes(Query query) {
    if (!query.eventTypes().isEmpty()) {
      throw query.wrong("event_types", "must be removed: counters are not kept per event type");
    }
  }

  private void refuseUnfit(long since, long until, long step, String period) {
    if (since >= until) {
      throw new InvalidFields(Problem.inQuery("startDate", "must be before endDate"));
    }
    if ((until - since) / step > MAX_PERIODS) {
      throw new InvalidFields(
          Problem.inQuery(
              "startDate", "may be at most " + MAX_PERIODS + " periods before endDate"));
    }
    if (period.equals(FIVE_MINUTES) && since < time.nowMs() - Statistics.MINUTES_KEPT.toMillis()) {
      throw new InvalidFields(
          Problem.inQuery(
              "period",
              "must be OneHour or OneDay for periods older than "
                  + Statistics.MINUTES_KEPT.toHours()
                  + " hours"));
    }
  }

  private static List<Long> numbers(List<Tally> tallies, ToLongFunction<Tally> number) {
    return tallies.stream().mapToLong(number).boxed().toList();
  }

  void endpoints(Call call) {
    EndpointCounts.Counts found = counts.of(call.environmentId());
    call.json(
        200,
        out ->
            out.object(
                o -> o.number("active", found.active()).number("disabled", found.disabled())));
  }

  /** Applications with at least one endpoint. */
  void activeApplications(Call call) {
    boolean onlyActive = call.query().flag("exclude_disabled", true);
    long count = counts.applications(call.environmentId(), !onlyActive);
    call.json(200, out -> out.object(o -> o.number("count", count)));
  }
}
