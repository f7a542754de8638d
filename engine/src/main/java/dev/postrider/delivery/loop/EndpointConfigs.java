package dev.postrider.delivery.loop;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.delivery.http.HeaderList;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.delivery.shape.SentHeaders;
import dev.postrider.delivery.shape.Shape;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.message.StepOrigin;
import dev.postrider.net.Cidr;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.StorageException;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Cache of endpoint configurations for sends, by id and version (engine rule 19). An entry is used
 * while its version is at least that of the lease, and for a short time only, because signing keys
 * expire without a new version.
 */
public final class EndpointConfigs {
  private static final System.Logger LOG = System.getLogger(EndpointConfigs.class.getName());

  static final int MAX_ENTRIES = 50_000;
  static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /**
   * From this age on the entry is reloaded in the background; attempts use the old one meanwhile.
   */
  static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(14);

  /**
   * Maximum number of concurrent reloads: entries that were loaded together expire together, and a
   * thousand loads at once would overload the database.
   */
  static final int REFRESHES = 4;

  /** Loads endpoint configurations from the database. */
  public interface Source {
    /** Those of an application's endpoints that exist, in any order. */
    List<EndpointConfig> load(Id applicationId, List<Id> endpointIds);

    /** The retry schedule's text of an event type, or null. */
    @Nullable String eventTypeRetryPolicy(EndpointConfig config, String eventType);

    /** That of a step of a version of a workflow; null if there is none. */
    default @Nullable EndpointConfig ofStep(Id version, int step) {
      return null;
    }
  }

  /**
   * An endpoint configuration with parsed URL, keys and retry schedule, ready for sending.
   *
   * @param ownName the header with the uid of the endpoint, or its id
   * @param maskedHeaders what an attempt records of the endpoint's own headers
   */
  public record Ready(
      EndpointConfig config,
      @Nullable Target target,
      @Nullable String problem,
      HeaderList ownName,
      HeaderList customHeaders,
      @Nullable String maskedHeaders,
      String url,
      long loadedNanos) {}

  private final Source source;
  private final ConfigLoads loader;
  private final TargetRules rules;
  private final RetryPolicy fallback;
  private final TimeSource time;
  private final ConcurrentHashMap<Id, Ready> entries = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Id, CompletableFuture<@Nullable Ready>> loads =
      new ConcurrentHashMap<>();
  private final Semaphore refreshes = new Semaphore(REFRESHES);

  public EndpointConfigs(Source source, TargetRules rules, RetryPolicy fallback, TimeSource time) {
    this.source = source;
    this.loader = new ConfigLoads(source);
    this.rules = rules;
    this.fallback = fallback;
    this.time = time;
  }

  /** The configuration for this lease; null if the endpoint was permanently deleted. */
  public @Nullable Ready of(Delivery delivery) {
    Id key = keyOf(delivery);
    Ready known = entries.get(key);
    if (known == null || !fits(known, delivery)) {
      return loadedOnce(delivery, key);
    }
    if (age(known) > REFRESH_NANOS) {
      refresh(delivery, key);
    }
    return known;
  }

  /** The endpoint; versions of a workflow share the lane of a step, but not its configuration. */
  private static Id keyOf(Delivery delivery) {
    Delivery.Step step = delivery.step();
    return step == null ? delivery.laneId() : keyOf(step.call().origin());
  }

  private static Id keyOf(StepOrigin origin) {
    Id version = origin.version();
    return DeliveryIds.of(version, version, new Id(0, origin.step()));
  }

  /** The stored configuration as it is now, and from now on. */
  @Nullable Ready newest(Id applicationId, Id endpointId) {
    return load(applicationId, endpointId);
  }

  /** Unless it is under way already, or too many others are. */
  private void refresh(Delivery delivery, Id key) {
    CompletableFuture<@Nullable Ready> own = new CompletableFuture<>();
    if (loads.containsKey(key) || !refreshes.tryAcquire()) {
      return;
    }
    if (loads.putIfAbsent(key, own) != null) {
      refreshes.release();
      return;
    }
    Thread.ofVirtual().name("endpoint-config").start(() -> refresh(delivery, key, own));
  }

  private void refresh(Delivery delivery, Id key, CompletableFuture<@Nullable Ready> result) {
    try {
      load(delivery, key, result);
    } catch (RuntimeException e) {
      // An attempt that finds the entry too old loads in the foreground and gets the error.
      LOG.log(Level.DEBUG, "reloading an endpoint in the background failed", e);
    } finally {
      refreshes.release();
    }
  }

  private boolean fits(Ready ready, Delivery delivery) {
    return ready.config().version() >= delivery.endpointVersion() && age(ready) < MAX_AGE_NANOS;
  }

  private long age(Ready ready) {
    return time.nanos() - ready.loadedNanos();
  }

  /**
   * One load for all concurrent callers: thousands of attempts start at once, and with a load for
   * each they would wait for connections until their leases are too old.
   */
  private @Nullable Ready loadedOnce(Delivery delivery, Id key) {
    while (true) {
      CompletableFuture<@Nullable Ready> own = new CompletableFuture<>();
      CompletableFuture<@Nullable Ready> running = loads.putIfAbsent(key, own);
      if (running == null) {
        return load(delivery, key, own);
      }
      Ready theirs = await(running);
      if (theirs == null) {
        return load(delivery, key, own);
      }
      if (fits(theirs, delivery)) {
        return theirs;
      }
    }
  }

  /**
   * The result of another caller's load, including its failure. Null if this caller has to load
   * itself.
   */
  private static @Nullable Ready await(CompletableFuture<@Nullable Ready> running) {
    try {
      return running.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      return null;
    }
  }

  public void forget(Id endpointId) {
    entries.remove(endpointId);
  }

  private @Nullable Ready load(
      Delivery delivery, Id key, CompletableFuture<@Nullable Ready> result) {
    try {
      Delivery.Step step = delivery.step();
      Ready ready =
          step == null ? load(delivery.applicationId(), key) : load(step.call().origin(), key);
      loads.remove(key, result);
      result.complete(ready);
      return ready;
    } catch (RuntimeException | Error e) {
      loads.remove(key, result);
      result.completeExceptionally(e);
      throw e;
    }
  }

  private @Nullable Ready load(Id applicationId, Id endpointId) {
    long began = time.nanos();
    return kept(endpointId, loader.load(applicationId, endpointId), began);
  }

  private @Nullable Ready load(StepOrigin origin, Id key) {
    long began = time.nanos();
    return kept(key, source.ofStep(origin.version(), origin.step()), began);
  }

  private @Nullable Ready kept(Id key, @Nullable EndpointConfig config, long began) {
    if (config == null) {
      entries.remove(key);
      return null;
    }
    Ready ready = ready(config, began);
    if (entries.size() >= MAX_ENTRIES) {
      entries.clear();
    }
    entries.put(key, ready);
    return ready;
  }

  private Ready ready(EndpointConfig config, long began) {
    HeaderList custom = new HeaderList();
    try {
      config.request().headers().forEach(custom::add);
      return new Ready(
          config,
          target(config, config.get(EndpointFields.URL)),
          null,
          SentHeaders.ownName(config),
          custom,
          masked(config, config.request().headers().keySet()),
          config.get(EndpointFields.URL),
          began);
    } catch (BadTarget | IllegalArgumentException e) {
      return new Ready(
          config,
          null,
          e.getMessage(),
          new HeaderList(),
          new HeaderList(),
          null,
          config.get(EndpointFields.URL),
          began);
    }
  }

  private Target target(EndpointConfig config, String url) throws BadTarget {
    List<Cidr> networks = config.get(EndpointFields.ALLOWED_IPS).stream().map(Cidr::parse).toList();
    return Target.parse(url, rules).ownedBy(config.applicationId().value(), networks);
  }

  /** The configuration for one send whose path and headers were set by a transform. */
  Ready shaped(Ready ready, Shape shape) {
    Target target = ready.target();
    if (target == null || (shape.path() == null && shape.headers().isEmpty())) {
      return ready;
    }
    HeaderList headers = new HeaderList();
    Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    names.addAll(shape.headers().keySet());
    ready
        .customHeaders()
        .forEach(
            (name, value) -> {
              if (!names.contains(name)) {
                headers.add(name, value);
              }
            });
    shape.headers().forEach(headers::add);
    names.addAll(ready.config().request().headers().keySet());
    String url =
        shape.path() == null
            ? ready.url()
            : target.scheme() + "://" + target.authority() + shape.path();
    try {
      return new Ready(
          ready.config(),
          shape.path() == null ? target : target(ready.config(), url),
          null,
          ready.ownName(),
          headers,
          masked(ready.config(), names),
          url,
          ready.loadedNanos());
    } catch (BadTarget e) {
      return new Ready(
          ready.config(),
          null,
          e.getMessage(),
          ready.ownName(),
          headers,
          null,
          url,
          ready.loadedNanos());
    }
  }

  /**
   * For the record of an attempt, as JSON: the uid of the endpoint, which may change later, and its
   * custom headers, whose values may be secret.
   */
  private static @Nullable String masked(EndpointConfig config, Set<String> names) {
    String uid = config.get(EndpointFields.UID);
    if (names.isEmpty() && uid == null) {
      return null;
    }
    Map<String, String> shown = new LinkedHashMap<>();
    if (uid != null) {
      shown.put(SentHeaders.ENDPOINT, uid);
    }
    names.forEach(name -> shown.put(name, HeaderRules.MASK));
    return Json.write(shown);
  }

  /**
   * Endpoint, then event type, then application, then environment, then the default of the server;
   * an invalid text falls through. Never fails: it is called after an attempt whose result must not
   * be lost.
   */
  public RetryPolicy policy(EndpointConfig config, String eventType) {
    EndpointConfig.RetryPolicies texts = config.retryPolicies();
    RetryPolicy policy = parsed(config.get(EndpointFields.RETRY_POLICY));
    if (policy == null) {
      policy = parsed(ofEventType(config, eventType));
    }
    if (policy == null) {
      policy = parsed(texts.application());
    }
    if (policy == null) {
      policy = parsed(texts.environment());
    }
    return policy == null ? fallback : policy;
  }

  private @Nullable String ofEventType(EndpointConfig config, String eventType) {
    try {
      return source.eventTypeRetryPolicy(config, eventType);
    } catch (DatabaseUnavailable | StorageException e) {
      LOG.log(
          Level.DEBUG,
          "the retry policy of the event type cannot be loaded and is not used for this"
              + " attempt: {0}",
          e.getMessage());
      return null;
    }
  }

  private static @Nullable RetryPolicy parsed(@Nullable String text) {
    try {
      return text == null ? null : RetryPolicy.parse(text);
    } catch (IllegalArgumentException e) {
      LOG.log(Level.WARNING, "a stored retry policy cannot be parsed: {0}", e.getMessage());
      return null;
    }
  }
}
