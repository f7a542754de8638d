package dev.postrider.bench.scenario;

import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.testbed.ApiClient;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Measures a store with many messages: the pages of lists, and the removal of one day. */
final class GrownStore {
  /** Pages of each list that are read before those that count. */
  private static final int FIRST_PAGES = 30;

  private static final int PAGES = 200;
  private static final Goal PAGE = Goal.atMost(20);
  private static final Goal LOCKED = Goal.atMost(1_000);
  private static final Goal DURING = Goal.atMost(2);
  private static final int DAYS_AGO = 40;
  private static final double PRUNE_SECONDS = 3_600;

  /** What the server writes about a day whose partitions were truncated, and about a whole run. */
  private static final Pattern TRUNCATED =
      Pattern.compile("partitions were locked for ([\\d,]+) ms");

  private static final Pattern WRITES =
      Pattern.compile("\\((\\d+) writes of at most (\\d+) ms, (\\d+) ms in all\\)");

  private final Testbed testbed;
  private final Session session;
  private final Storage storage;
  private final Findings findings;

  GrownStore(Testbed testbed, Session session, Storage storage, Findings findings) {
    this.testbed = testbed;
    this.session = session;
    this.storage = storage;
    this.findings = findings;
  }

  /** The newest page and, by its iterator, a page further back, without other load. */
  void listPages() {
    try (ApiClient api = session.api()) {
      List<String> endpoints = new ArrayList<>();
      for (String application : session.applications()) {
        endpoints.add(
            api.get("/app/" + application + "/endpoint").get("data").get(0).get("id").asString());
      }
      pages(api, "messages", i -> "/app/" + application(i) + "/msg?limit=50");
      pages(
          api,
          "attempts of an endpoint",
          i ->
              "/app/%s/attempt/endpoint/%s?limit=50"
                  .formatted(application(i), endpoints.get(i % endpoints.size())));
      pages(api, "deliveries", i -> "/app/" + application(i) + "/delivery?limit=50");
    }
  }

  private String application(int index) {
    return session.applications().get(index % session.applications().size());
  }

  private interface Path {
    String of(int index);
  }

  private void pages(ApiClient api, String list, Path path) {
    testbed.progress().step("listing " + list);
    List<Double> newest = new ArrayList<>();
    List<Double> older = new ArrayList<>();
    for (int i = 0; i < FIRST_PAGES + PAGES; i++) {
      String first = path.of(i);
      long began = testbed.time().nanos();
      JsonNode page = api.get(first);
      long read = testbed.time().nanos();
      api.get(first + "&iterator=" + page.get("iterator").asString());
      if (i >= FIRST_PAGES) {
        newest.add((read - began) / 1e6);
        older.add((testbed.time().nanos() - read) / 1e6);
      }
    }
    findings.figure("page of " + list + ", p95", p95(newest), "ms", PAGE);
    findings.figure("second page of " + list + ", p95", p95(older), "ms", PAGE);
  }

  private static double p95(List<Double> times) {
    List<Double> sorted = times.stream().sorted().toList();
    return sorted.get((int) Math.ceil(sorted.size() * 0.95) - 1);
  }

  /**
   * Adds one day that is past its retention and removes it, under a steady load.
   *
   * @param dayMessages how many messages that day has
   * @param rate messages per second
   */
  void removeDay(long dayMessages, double rate) {
    long day =
        testbed
            .time()
            .now()
            .minus(Duration.ofDays(DAYS_AGO))
            .atZone(ZoneOffset.UTC)
            .toLocalDate()
            .atStartOfDay(ZoneOffset.UTC)
            .toInstant()
            .toEpochMilli();
    long end = day + Duration.ofDays(1).toMillis();
    session.preload(dayMessages, day, end);
    int seconds = testbed.options().windowSeconds();
    session.load(session.plan().withRate(rate));
    session.warmUp("before the removal of a day", testbed.options().warmUpSeconds() / 2.0);
    Window quiet = findings.add(session.window("before the removal of a day", seconds));
    try (ApiClient api = session.api()) {
      long began = testbed.time().nanos();
      api.post("/prune", "");
      Window busy = findings.add(session.window("during the removal of a day", seconds));
      testbed.progress().step("waiting for the end of the removal");
      if (!testbed.pause().await(PRUNE_SECONDS, () -> isIdle(api))) {
        throw new BenchFailure("the removal of old messages did not end");
      }
      findings.figure("removal of a day, with pauses", (testbed.time().nanos() - began) / 1e9, "s");
      findings.figure(
          "accept p99, during the removal / before",
          busy.accept().p99() / quiet.accept().p99(),
          "ratio",
          DURING);
    }
    session.settle();
    long left = session.storedBefore(end);
    session.expectStockedLess(dayMessages - left);
    findings.note(
        "%,d of the %,d messages of the day were removed"
            .formatted(dayMessages - left, dayMessages));
    locks();
  }

  private static boolean isIdle(ApiClient api) {
    return api.get("/prune").get("status").asString().equals("idle");
  }

  /** From the log of the server. */
  private void locks() {
    String log = String.join("\n", session.servers().getFirst().log());
    Matcher truncated = TRUNCATED.matcher(log);
    if (storage == Storage.POSTGRES && truncated.find()) {
      findings.figure(
          "lock of the partitions of the day",
          Double.parseDouble(truncated.group(1).replace(",", "")),
          "ms",
          LOCKED);
      return;
    }
    Matcher writes = WRITES.matcher(log.replaceAll("(\\d),(\\d{3})", "$1$2"));
    if (writes.find()) {
      findings.figure("longest write of the removal", Double.parseDouble(writes.group(2)), "ms");
      findings.figure(
          "writes of the removal, in all", Double.parseDouble(writes.group(3)), "ms", LOCKED);
    }
  }
}
