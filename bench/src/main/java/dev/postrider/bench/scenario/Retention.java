package dev.postrider.bench.scenario;

import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.BenchOptions;
import dev.postrider.bench.testbed.Layout;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.bench.testbed.Session;
import dev.postrider.bench.testbed.Storage;
import dev.postrider.bench.testbed.Testbed;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** Measures the daily deletion of old messages, at half of the maximum rate of the server. */
final class Retention {
  private static final Duration OLDEST = Duration.ofDays(40);

  /** The server keeps delivered messages for 30 days. */
  private static final Duration YOUNGEST = Duration.ofDays(31);

  /** For stopping and starting, and for what is still on its way after each load. */
  private static final double SLACK_SECONDS = 20;

  /** The setting knows minutes, and the pruner begins with the first application. */
  private static final double BEGIN_SECONDS = 90;

  private Retention() {}

  static void measure(Testbed testbed, Storage storage, Findings findings) {
    BenchOptions options = testbed.options();
    long count = options.volume().stored();
    long now = testbed.time().nowMs();
    long cutoff = now - YOUNGEST.toMillis() + 1;
    try (Session session =
        Session.open(testbed, storage, Speed.server(testbed), 1, Layout.fanOut(testbed, 1))) {
      session.preload(count, now - OLDEST.toMillis(), now - YOUNGEST.toMillis());
      int maximumSeconds = Math.max(5, options.windowSeconds() / 4);
      double before =
          options.warmUpSeconds() * 1.5 + maximumSeconds + options.windowSeconds() + SLACK_SECONDS;
      String begin = minuteAfter(testbed.time().now().plusMillis((long) (before * 1000)));
      session.restart(withRetentionAt(testbed, begin));
      double half =
          session
                  .measure("maximum", session.plan(), options.warmUpSeconds(), maximumSeconds)
                  .acceptedPerSecond()
              / 2;
      Window quiet =
          findings.add(
              session.measure(
                  "before the deletion",
                  session.plan().withRate(half),
                  options.warmUpSeconds() / 2.0,
                  options.windowSeconds()));
      if (session.storedBefore(cutoff) != count) {
        throw new BenchFailure(
            "the deletion of old messages started too early; run nothing else on this machine");
      }
      session.load(session.plan().withRate(half));
      testbed.progress().step("waiting for the deletion of old messages at " + begin + " UTC");
      if (!testbed
          .pause()
          .await(SLACK_SECONDS + BEGIN_SECONDS, () -> begun(testbed, session, cutoff, count))) {
        throw new BenchFailure("the deletion of old messages did not start");
      }
      long left = session.storedBefore(cutoff);
      Window busy = findings.add(session.window("during the deletion", options.windowSeconds()));
      long leftAfter = session.storedBefore(cutoff);
      double removedPerSecond = (left - leftAfter) / busy.seconds();
      findings.figure("rate", half, "messages/s");
      findings.figure("deleted meanwhile", removedPerSecond, "messages/s");
      findings.figure(
          "accept p99, during / before",
          busy.accept().p99() / quiet.accept().p99(),
          "ratio",
          storage == Storage.POSTGRES ? Goal.atMost(3) : null);
      findings.note(
          leftAfter == 0
              ? "all old messages were deleted within the window"
              : "%,d of %,d old messages remained at the end of the window"
                  .formatted(leftAfter, count));
      session.stop();
      session.expectStocked(session.storedBefore(cutoff));
      findings.problems(session.finish(1));
    }
  }

  private static boolean begun(Testbed testbed, Session session, long cutoff, long count) {
    testbed.pause().seconds(1);
    return session.storedBefore(cutoff) < count;
  }

  private static ServerSpec withRetentionAt(Testbed testbed, String minute) {
    return Speed.server(testbed).withSettings(Map.of("POSTRIDER_RETENTION_TIME", minute));
  }

  private static String minuteAfter(Instant time) {
    return DateTimeFormatter.ofPattern("HH:mm")
        .format(
            time.truncatedTo(ChronoUnit.MINUTES)
                .plus(Duration.ofMinutes(1))
                .atZone(ZoneOffset.UTC));
  }
}
