package dev.postrider.delivery.http;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The limits of {@link HttpSender}.
 *
 * @param connectionsPerHost must not be below the maximum number of concurrent attempts, so that
 *     hung endpoints can never use the connections of others
 * @param connectTimeout for one address; the deadline of an attempt applies in addition
 * @param keepAlive how long an idle connection is kept
 * @param keptBytes bytes of a response that are kept
 * @param readBytes bytes of a response that are read before the connection is closed instead
 * @param headerCount headers in a response
 * @param lineBytes length of one line in the head of a response
 * @param proxy an egress proxy
 * @param bypass targets that are called without it
 * @param trust trusted certificates; null for those of the JDK
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

  /** How many bytes of a response are kept; never more than are read. */
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
