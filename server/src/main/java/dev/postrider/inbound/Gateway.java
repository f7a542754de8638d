package dev.postrider.inbound;

import dev.postrider.event.EventPublisher;
import dev.postrider.id.Ids;
import dev.postrider.inbound.compiled.CompiledSource;
import dev.postrider.message.Acceptor;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Handles requests to sources: limits their number, finds the source, and leaves the rest to an
 * {@link InboundCall}.
 */
public final class Gateway {
  public static final String MESSAGE_ID = "postrider-message-id";
  static final String RETRY_AFTER_SECONDS = "1";
  private static final System.Logger LOG = System.getLogger(Gateway.class.getName());

  /**
   * Limits of the gateway.
   *
   * @param perAddress requests per second from one address; 0 means no limit
   */
  public record Limits(int concurrent, int perAddress, long maxBodyBytes) {}

  /** Fetches a confirmation URL that a provider sent in a handshake, after its host was checked. */
  @FunctionalInterface
  public interface Confirmer {
    void fetch(URI url) throws IOException;
  }

  /** What requests need from the rest of the server. */
  record Services(
      SourceCache sources,
      Acceptor acceptor,
      Confirmer confirmer,
      EventPublisher events,
      Limits limits,
      Ids ids,
      TimeSource time) {

    InboundResponse rejectedUnrecorded(int status, String reason, String detail) {
      events.publish(new InboundEvent.Unrecorded(reason));
      return InboundResponse.error(status, reason, detail)
          .with("Retry-After", RETRY_AFTER_SECONDS)
          .closing();
    }
  }

  private final Services services;
  private final ClientAddress addresses;
  private final Semaphore places;
  private final AddressRateLimiter rates;

  public Gateway(
      SourceCache sources,
      Acceptor acceptor,
      ClientAddress addresses,
      Confirmer confirmer,
      EventPublisher events,
      Limits limits,
      Ids ids,
      TimeSource time) {
    this.services = new Services(sources, acceptor, confirmer, events, limits, ids, time);
    this.addresses = addresses;
    this.places = new Semaphore(limits.concurrent());
    this.rates = new AddressRateLimiter(limits.perAddress(), time);
  }

  /**
   * @param key the source as named in the path
   */
  public InboundResponse receive(String key, RawRequest rawRequest) throws IOException {
    return receive(key, null, rawRequest);
  }

  /** Accepts an event of a caller with an API key. */
  public InboundResponse receive(KeyedEvent event, RawRequest rawRequest) throws IOException {
    return receive(event.cacheKey(), event, rawRequest);
  }

  private InboundResponse receive(String key, @Nullable KeyedEvent event, RawRequest rawRequest)
      throws IOException {
    String address = addresses.of(rawRequest.peer(), rawRequest.headers());
    if (!rates.tryPass(address)) {
      return services.rejectedUnrecorded(
          429, "rate_limited", "rate limit exceeded: too many requests from this IP address");
    }
    if (!places.tryAcquire()) {
      return services.rejectedUnrecorded(
          503, "busy", "too many concurrent requests; try again later");
    }
    try {
      CompiledSource compiled = services.sources().find(key);
      if (compiled == null
          || compiled.source().form().isCron()
          || (event != null && !event.maySendTo(compiled.source()))) {
        services.events().publish(new InboundEvent.Unrecorded("unknown_source"));
        return InboundResponse.error(404, "not_found", "source not found").closing();
      }
      return new InboundCall(services, compiled, event, rawRequest, address).answer();
    } catch (SourceCache.SourceUnavailable e) {
      LOG.log(Level.DEBUG, e.getMessage());
      return services.rejectedUnrecorded(503, "unavailable", "temporarily unavailable; try again");
    } finally {
      places.release();
    }
  }
}
