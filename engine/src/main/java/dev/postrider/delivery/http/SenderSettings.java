package dev.postrider.delivery.http;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The limits of {@link HttpSender}.
 *
 * @param connectionsPerHost must not be below the number of tries that may be under way at the same
 *     time, so that hung endpoints can never take the connections of others
 * @param connectTimeout for one address; the deadline of a try holds over all of it
 * @param keepAlive how long an idle connection is kept
 * @param keptBytes bytes of an answer that are kept
 * @param readBytes bytes of an answer that are read before the connection is closed instead
 * @param headerCount headers in an answer
 * @param lineBytes length of one line in the head of an answer
 * @param proxy an egress proxy
 * @param bypass targets that are called without it
 * @param trust what certificates are trusted; null for the JDK's
 */
public record SenderSettings(
    int connectionsPerHost,
    Duration connectTimeout,
    Duration keepAlive,
    int keptBytes,
    int readBytes,
    int headerCount,
    int lineBytes,
    @Nullable EgressProxy proxy,
    ProxyBypass bypass,
    @Nullable SSLContext trust) {

  public SenderSettings {
    if (connectionsPerHost < 1 || keptBytes < 0 || readBytes < keptBytes) {
      throw new IllegalArgumentException(
          "sender settings: connectionsPerHost must be at least 1, and readBytes must not be"
              + " less than keptBytes");
    }
  }

  public static SenderSettings defaults(int inFlight) {
    return new SenderSettings(
        inFlight,
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        10 * 1024,
        64 * 1024,
        128,
        8 * 1024,
        null,
        ProxyBypass.NONE,
        null);
  }

  /** How much of an answer is kept; never more than is read. */
  public SenderSettings withKeptBytes(int bytes) {
    return new SenderSettings(
        connectionsPerHost,
        connectTimeout,
        keepAlive,
        bytes,
        Math.max(bytes, readBytes),
        headerCount,
        lineBytes,
        proxy,
        bypass,
        trust);
  }

  public SenderSettings withTrust(SSLContext context) {
    return new SenderSettings(
        connectionsPerHost,
        connectTimeout,
        keepAlive,
        keptBytes,
        readBytes,
        headerCount,
        lineBytes,
        proxy,
        bypass,
        context);
  }

  public SenderSettings withProxy(@Nullable EgressProxy egress, ProxyBypass except) {
    return new SenderSettings(
        connectionsPerHost,
        connectTimeout,
        keepAlive,
        keptBytes,
        readBytes,
        headerCount,
        lineBytes,
        egress,
        except,
        trust);
  }
}
