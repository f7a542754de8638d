package dev.postrider.inbound.cron;

import dev.postrider.field.FieldValues;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.SignatureStatus;
import dev.postrider.inbound.SourceCache;
import dev.postrider.inbound.body.RepeatKeys;
import dev.postrider.inbound.compiled.CompiledSource;
import dev.postrider.inbound.request.JsonBody;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.source.SourceForm.Missed;
import dev.postrider.json.Json;
import dev.postrider.json.Times;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Acceptor;
import dev.postrider.message.NewMessage;
import dev.postrider.schedule.CronSchedule;
import dev.postrider.schedule.Ticks;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.thread.PeriodicLoop;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends the messages of cron sources. It runs on every instance, and each tick is still only one
 * message: its idempotency key is derived from the source and the tick, so only one accept
 * succeeds. The stored last tick is needed only to resume after a pause.
 */
public final class CronScheduler implements AutoCloseable {
  public static final String TICK = "cron.tick";

  /** Maximum number of missed ticks that are made up for; the newest ones are. */
  static final int MAX_MISSED = 100;

  /**
   * How long the idempotency key of a tick is kept: longer than any instance may lag behind the
   * others.
   */
  static final Duration KNOWN = Duration.ofDays(30);

  static final long LOOK_EVERY_MS = 500;
  private static final System.Logger LOG = System.getLogger(CronScheduler.class.getName());

  /**
   * The schedule of a cron source and its next tick, in memory, so that the database is read only
   * when a tick is due.
   */
  private record Hand(String schedule, long nextMs) {}

  private final SourceCache sourceCache;
  private final CronStore store;
  private final Acceptor acceptor;
  private final TimeSource time;
  private final Map<Id, Hand> hands = new HashMap<>();
  private final PeriodicLoop ticker =
      new PeriodicLoop(
          "cron",
          () -> {
            turn();
            return LOOK_EVERY_MS;
          });

  public CronScheduler(
      SourceCache sourceCache, Database database, Acceptor acceptor, TimeSource time) {
    this.sourceCache = sourceCache;
    this.store = new CronStore(database);
    this.acceptor = acceptor;
    this.time = time;
  }

  public void start() {
    ticker.start();
  }

  @Override
  public void close() {
    ticker.stop();
  }

  /** One pass over all cron sources. */
  void turn() {
    for (CompiledSource compiled : sourceCache.clocks()) {
      try {
        look(compiled);
      } catch (DatabaseUnavailable e) {
        LOG.log(
            Level.DEBUG,
            "cron sources are delayed until the database is available: {0}",
            e.getMessage());
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "cron source " + compiled.source().form().name() + " failed", e);
      }
    }
  }

  private void look(CompiledSource compiled) {
    CronSchedule cron = compiled.cron();
    FieldValues form = compiled.source().form().get(SourceFields.CRON);
    if (cron == null || form == null) {
      return;
    }
    Id source = compiled.source().id();
    // A disabled cron source has no schedule row, so that it starts from scratch when enabled.
    String schedule =
        compiled.source().form().get(SourceFields.ENABLED)
            ? form.get(SourceFields.SCHEDULE) + " " + form.get(SourceFields.TIMEZONE)
            : "";
    long now = time.nowMs();
    Hand hand = hands.get(source);
    if (hand == null || !hand.schedule().equals(schedule)) {
      store.begin(source, schedule, now);
      hand = read(source, schedule, cron);
    }
    if (hand != null && !schedule.isEmpty() && hand.nextMs() <= now) {
      hand = fire(compiled, cron, form, schedule, now);
    }
    if (hand == null) {
      hands.remove(source);
    } else {
      hands.put(source, hand);
    }
  }

  private @Nullable Hand read(Id source, String schedule, CronSchedule cron) {
    CronStore.Stand stand = store.find(source);
    return stand == null || !stand.schedule().equals(schedule)
        ? null
        : new Hand(schedule, Ticks.nextMs(cron, stand.lastTickMs()));
  }

  /** Fires what is due, and returns when to run again; null to start over. */
  private @Nullable Hand fire(
      CompiledSource compiled, CronSchedule cron, FieldValues form, String schedule, long now) {
    Id source = compiled.source().id();
    CronStore.Stand stand = store.find(source);
    if (stand == null || !stand.schedule().equals(schedule)) {
      return null;
    }
    List<Long> due = Ticks.due(cron, stand.lastTickMs(), now);
    for (long tick : chosen(due, Missed.of(form.get(SourceFields.MISSED)), now)) {
      AcceptResult result = acceptor.accept(message(compiled, tick));
      switch (result) {
        case AcceptResult.Accepted _ -> store.advanceIfBefore(source, schedule, tick);
        case AcceptResult.Refused(String why, _) -> throw new DatabaseUnavailable(why);
        case AcceptResult.TooMany _ ->
            throw new DatabaseUnavailable("the rate limit of the application is exceeded");
        case AcceptResult.NoSuchApplication _ -> {
          LOG.log(
              Level.WARNING,
              "cron source {0} is disabled: its application was deleted; enable the source to"
                  + " create the application again",
              compiled.source().form().name());
          sourceCache.disable(compiled.source());
          return null;
        }
        case AcceptResult.ApplicationInactive _,
            AcceptResult.EventIdTaken _,
            AcceptResult.KeyReused _,
            AcceptResult.Unfit _,
            AcceptResult.TooLarge _,
            AcceptResult.Invalid _ ->
            LOG.log(
                Level.WARNING,
                "the tick of cron source {0} at {1} was not accepted as a message: {2}",
                compiled.source().form().name(),
                Times.text(tick),
                result);
      }
    }
    long last = due.isEmpty() ? stand.lastTickMs() : due.getLast();
    store.advanceIfBefore(source, schedule, last);
    return new Hand(schedule, Ticks.nextMs(cron, last));
  }

  /** Which of the due ticks fire. Pure. */
  static List<Long> chosen(List<Long> due, Missed policy, long nowMs) {
    int missed =
        switch (policy) {
          case SKIP -> 0;
          case ONCE -> 1;
          case ALL -> MAX_MISSED;
        };
    return Ticks.chosen(due, missed, nowMs);
  }

  private static @Nullable String contentType(FieldValues cron, byte[] payload) {
    String given = cron.get(SourceFields.CONTENT_TYPE);
    if (given != null && !given.equals("application/json")) {
      return given;
    }
    return JsonBody.isJson(payload) ? null : "text/plain; charset=utf-8";
  }

  private NewMessage message(CompiledSource compiled, long tick) {
    SourceForm form = compiled.source().form();
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("source", form.name());
    fields.put("fired_at", Times.text(tick));
    FieldValues cron = form.get(SourceFields.CRON);
    String own = cron == null ? null : cron.get(SourceFields.PAYLOAD);
    byte[] payload = (own == null ? Json.write(fields) : own).getBytes(StandardCharsets.UTF_8);
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(":source", form.name());
    headers.put(":signature", SignatureStatus.NOT_ASKED.text());
    return new NewMessage(
        compiled.source().environmentId(),
        compiled.source().applicationId().text(IdKind.APPLICATION),
        TICK,
        null,
        List.of(),
        List.of(),
        payload,
        cron == null || own == null ? null : contentType(cron, payload),
        Json.write(headers),
        null,
        NewMessage.Schedule.NONE,
        RepeatKeys.ofTick(compiled.source(), tick, time.nowMs() + KNOWN.toMillis()));
  }
}
