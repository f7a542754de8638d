package dev.postrider.delivery.http;

import dev.postrider.options.EgressProxyOptions;
import dev.postrider.options.OptionNames;
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
 * @param names how messages name the option of the proxy
 * @param trust trusted certificates; null for those of the JDK
 * @param answers what of a response is used
 */
public record SenderSettings(
    int connectionsPerHost,
    Duration connectTimeout,
    Duration keepAlive,
    int keptBytes,
    int readBytes,
    int headerCount,
    int lineBytes,
    @Nullable EgressProxyOptions proxy,
    ProxyBypass bypass,
    OptionNames names,
    @Nullable SSLContext trust,
    AnswerRules answers) {

  /**
   * What of a response is used.
   *
   * @param control the header whose value is {@link HttpResult.Answered#control}
   * @param undelimited whether a body may end with its connection; otherwise such a body counts as
   *     truncated, since its end may be missing
   */
  public record AnswerRules(String control, boolean undelimited) {
    static final AnswerRules OF_ENDPOINTS = new AnswerRules("webhook-delivery", true);
  }

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
        OptionNames.OF_LIBRARY,
        null,
        AnswerRules.OF_ENDPOINTS);
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
        names,
        trust,
        answers);
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
        names,
        context,
        answers);
  }

  public SenderSettings withProxy(@Nullable EgressProxyOptions egress, ProxyBypass except) {
    return withProxy(egress, except, names);
  }

  public SenderSettings withProxy(
      @Nullable EgressProxyOptions egress, ProxyBypass except, OptionNames named) {
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
        named,
        trust,
        answers);
  }

  public SenderSettings withAnswers(AnswerRules rules) {
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
        names,
        trust,
        rules);
  }
}
