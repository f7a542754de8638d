package dev.postrider.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Which ticks of a schedule are due, and which of them fire. Pure. */
public final class Ticks {
  /** A tick that is later than this was missed: no instance was running when it was due. */
  public static final Duration LATE = Duration.ofSeconds(60);

  /** Maximum number of ticks of one schedule that are examined after a long pause. */
  static final int MAX_EXAMINED = 100_000;

  private Ticks() {}

  /** The first tick after that time; {@link Long#MAX_VALUE} if there is none. */
  public static long nextMs(CronSchedule cron, long afterMs) {
    Instant next = cron.next(Instant.ofEpochMilli(afterMs));
    return next == null ? Long.MAX_VALUE : next.toEpochMilli();
  }

  /** The ticks after one time, up to another. */
  public static List<Long> due(CronSchedule cron, long afterMs, long nowMs) {
    List<Long> due = new ArrayList<>();
    long tick = nextMs(cron, afterMs);
    for (int n = 0; tick <= nowMs && n < MAX_EXAMINED; n++) {
      due.add(tick);
      tick = nextMs(cron, tick);
    }
    return due;
  }

  /**
   * Which of the due ticks fire: those that are not late, and of the missed ones the newest.
   *
   * @param missed how many missed ticks fire at most
   */
  public static List<Long> chosen(List<Long> due, int missed, long nowMs) {
    List<Long> fresh = due.stream().filter(tick -> nowMs - tick <= LATE.toMillis()).toList();
    List<Long> late = due.subList(0, due.size() - fresh.size());
    int wanted = Math.min(missed, late.size());
    List<Long> chosen = new ArrayList<>(late.subList(late.size() - wanted, late.size()));
    chosen.addAll(fresh);
    return chosen;
  }
}
