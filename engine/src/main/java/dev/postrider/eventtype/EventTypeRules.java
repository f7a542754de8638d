package dev.postrider.eventtype;

import dev.postrider.evaluation.Evaluator;
import dev.postrider.eventtype.EventType.Owner;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.json.Problem;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Checks with a cache whether a message is allowed by its event type. An environment without strict
 * event types, checked schemas and windows of event types costs one lookup. The cache is refreshed
 * in the background while it is in use. After a signal, which every change sends, and after a
 * second at the latest, one caller reads while the others continue.
 */
public final class EventTypeRules {
  /** From this age on the cache is refreshed in the background. */
  static final long REFRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(1);
  static final long TOO_OLD_NANOS = TimeUnit.SECONDS.toNanos(10);
  static final long LOG_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  static final int MAX_ENVIRONMENTS = 10_000;
  static final int MAX_RULES = 20_000;
  static final int MAX_SCHEMAS = 1_000;

  private static final System.Logger LOG = System.getLogger(EventTypeRules.class.getName());

  private final EventTypeStore store;
  private final Evaluator evaluator;
  private final TimeSource time;
  private final ConcurrentHashMap<String, World> worlds = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Key, Rule> rules = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<SchemaKey, Compiled> schemas = new ConcurrentHashMap<>();
  private final AtomicInteger signals = new AtomicInteger();

  public EventTypeRules(EventTypeStore store, Evaluator evaluator, TimeSource time) {
    this.store = store;
    this.evaluator = evaluator;
    this.time = time;
  }

  /** The cached event type rules of one environment. */
  private static final class World {
    final EventTypeStore.@Nullable Check check;
    final long readAtNanos;
    final int signal;
    final AtomicBoolean refreshing = new AtomicBoolean();

    World(EventTypeStore.@Nullable Check check, long readAtNanos, int signal) {
      this.check = check;
      this.readAtNanos = readAtNanos;
      this.signal = signal;
    }
  }

  private record Key(Owner owner, String name) {}

  /** The cache key of a compiled schema: the event type, and the time of its last change. */
  private record SchemaKey(Id id, long updatedAtMs) {}

  /** A compiled schema, or the error that prevented its compilation. */
  private record Compiled(@Nullable PayloadSchema schema, @Nullable String fault) {}

  private static final class Rule {
    final int version;
    final boolean known;
    final boolean archived;
    final SchemaCheck check;
    final @Nullable Compiled compiled;
    final int keyWindowMs;
    final AtomicBoolean logged = new AtomicBoolean();
    volatile long loggedAtNanos;

    Rule(
        int version,
        boolean known,
        boolean archived,
        SchemaCheck check,
        @Nullable Compiled compiled,
        int keyWindowMs) {
      this.version = version;
      this.known = known;
      this.archived = archived;
      this.check = check;
      this.compiled = compiled;
      this.keyWindowMs = keyWindowMs;
    }
  }

  /** Something changed, here or elsewhere: refresh before the next use. */
  public void signal() {
    signals.incrementAndGet();
  }

  /** Something changed here: the next message must see it. */
  public void forget(String environmentId) {
    worlds.remove(environmentId);
    signal(); // for who has just read what was true before
  }

  /**
   * The result of a check.
   *
   * @param refuses whether the message must be rejected; otherwise the problems are warnings for
   *     its caller
   * @param keyWindowMs how long the event type keeps an idempotency key; 0 if it does not say
   */
  public record Verdict(boolean refuses, List<Problem> problems, int keyWindowMs) {
    static final Verdict FINE = new Verdict(false, List.of(), 0);

    static Verdict refusal(List<Problem> problems) {
      return new Verdict(true, problems, 0);
    }

    static Verdict of(Rule rule, List<Problem> warnings) {
      return warnings.isEmpty() && rule.keyWindowMs == 0
          ? FINE
          : new Verdict(false, warnings, rule.keyWindowMs);
    }

    /** Problems that are only warnings. */
    public List<Problem> warnings() {
      return refuses ? List.of() : problems;
    }
  }

  /**
   * The problems of a message, for its caller.
   *
   * @param application finds the application of the message; called only if needed
   * @param contentType null means JSON
   */
  public Verdict look(
      String environmentId,
      Supplier<@Nullable ApplicationId> application,
      String name,
      @Nullable String contentType,
      byte[] payload) {
    EventTypeStore.Check check = world(environmentId).check;
    if (check == null || (!check.strict() && !check.anyRule())) {
      return Verdict.FINE;
    }
    ApplicationId known = application.get();
    Owner owner = new Owner(environmentId, known == null ? Owner.NO_APPLICATION : known);
    Rule rule = rule(new Key(owner, name), check);
    if (check.strict() && (!rule.known || rule.archived)) {
      return Verdict.refusal(List.of(Problem.inBody("eventType", unwelcome(name, rule))));
    }
    return rule.compiled == null
        ? Verdict.of(rule, List.of())
        : unfit(rule, rule.compiled, name, contentType, payload, owner);
  }

  private static String unwelcome(String name, Rule rule) {
    return rule.known
        ? "\"%s\" is archived and strictEventTypes is on; restore it with PUT /api/v1/event-type/%s"
            .formatted(name, name)
        : "\"%s\" is not a known event type and strictEventTypes is on; create it with POST /api/v1/event-type first"
            .formatted(name);
  }

  private Verdict unfit(
      Rule rule,
      Compiled compiled,
      String name,
      @Nullable String contentType,
      byte[] payload,
      Owner owner) {
    List<Problem> problems =
        compiled.schema() == null
            ? List.of(
                Problem.inBody(
                    "payload",
                    "cannot be validated, because the schema of the event type "
                        + compiled.fault()))
            : compiled.schema().problems(payload, contentType, owner.share());
    if (problems.isEmpty()) {
      return Verdict.of(rule, problems);
    }
    if (rule.check == SchemaCheck.WARN) {
      warn(rule, name, problems);
      return Verdict.of(rule, problems);
    }
    return Verdict.refusal(problems);
  }

  private void warn(Rule rule, String name, List<Problem> problems) {
    long now = time.nanos();
    if (!rule.logged.getAndSet(true) || now - rule.loggedAtNanos > LOG_EVERY_NANOS) {
      rule.loggedAtNanos = now;
      LOG.log(
          Level.WARNING,
          "a message of type {0} does not match the schema of its event type: {1} {2}",
          name,
          String.join("/", problems.getFirst().loc()),
          problems.getFirst().msg());
    }
  }

  private World world(String environmentId) {
    World known = worlds.get(environmentId);
    if (known == null) {
      return read(environmentId);
    }
    long age = time.nanos() - known.readAtNanos;
    if (age > TOO_OLD_NANOS) {
      return reread(environmentId, known);
    }
    boolean stale = age > STALE_NANOS || known.signal != signals.get();
    if ((!stale && age <= REFRESH_NANOS) || !known.refreshing.compareAndSet(false, true)) {
      return known;
    }
    if (stale) {
      return reread(environmentId, known);
    }
    Thread.ofVirtual().name("event-types").start(() -> refresh(environmentId, known));
    return known;
  }

  private void refresh(String environmentId, World known) {
    try {
      read(environmentId);
    } catch (RuntimeException e) {
      // The first caller that finds the cache stale reads in the foreground and gets the error.
      LOG.log(Level.DEBUG, "reading the event type rules in the background failed", e);
      known.refreshing.set(false);
    }
  }

  private World reread(String environmentId, World known) {
    try {
      return read(environmentId);
    } catch (DatabaseUnavailable e) {
      known.refreshing.set(false);
      return known; // the accept itself will report that the database is unavailable
    }
  }

  private World read(String environmentId) {
    int signal = signals.get();
    World read = new World(store.check(environmentId), time.nanos(), signal);
    if (worlds.size() >= MAX_ENVIRONMENTS) {
      worlds.clear();
    }
    worlds.put(environmentId, read);
    return read;
  }

  private Rule rule(Key key, EventTypeStore.Check check) {
    Rule known = rules.get(key);
    if (known != null && known.version == check.version()) {
      return known;
    }
    EventType type = store.findInEffect(key.owner(), key.name());
    Rule rule =
        type == null
            ? new Rule(check.version(), false, false, SchemaCheck.OFF, null, 0)
            : new Rule(
                check.version(),
                true,
                type.spec().get(EventTypeFields.ARCHIVED),
                type.spec().schemaCheck(),
                compiled(type),
                keyWindowMs(type));
    if (rules.size() >= MAX_RULES) {
      rules.clear();
    }
    rules.put(key, rule);
    return rule;
  }

  private static int keyWindowMs(EventType type) {
    Integer window = type.spec().get(EventTypeFields.IDEMPOTENCY_WINDOW);
    return window == null ? 0 : window;
  }

  private @Nullable Compiled compiled(EventType type) {
    JsonNode newest =
        type.spec().schemaCheck() == SchemaCheck.OFF
            ? null
            : SchemaVersions.newest(type.spec().get(EventTypeFields.SCHEMAS));
    if (newest == null) {
      return null;
    }
    SchemaKey key = new SchemaKey(type.id(), type.updatedAt().toEpochMilli());
    Compiled known = schemas.get(key);
    if (known != null) {
      return known;
    }
    if (schemas.size() >= MAX_SCHEMAS) {
      schemas.clear();
    }
    Compiled fresh =
        compile(newest, type.owner()); // not within the map, which would block other callers
    schemas.put(key, fresh);
    return fresh;
  }

  private Compiled compile(JsonNode schema, Owner owner) {
    try {
      return new Compiled(PayloadSchema.compile(schema, owner.share(), evaluator), null);
    } catch (IllegalArgumentException e) {
      return new Compiled(null, String.valueOf(e.getMessage()));
    }
  }
}
