package dev.postrider.bench.raw;

import dev.postrider.delivery.http.HeaderList;
import dev.postrider.delivery.http.HttpResult;
import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.SenderSettings;
import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.NameResolver;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.net.Cidr;
import dev.postrider.signature.Signable;
import dev.postrider.signature.SignatureHeader;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.List;

/**
 * The HTTP client of the server with the configuration that the server uses, including address
 * guard, signature and headers.
 */
public final class DeliveryClient implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(15);
  private static final String USER_AGENT = "Postrider";
  private static final String EVENT_TYPE = "bench.sent";
  private static final SignatureScheme SCHEME = SignatureScheme.byDefault();

  private final TimeSource time;
  private final NameLookup lookup;
  private final HttpSender sender;
  private final TargetRules rules;

  public DeliveryClient(int inFlight, TimeSource time) {
    List<Cidr> loopback = List.of(Cidr.parse("127.0.0.0/8"));
    this.time = time;
    this.rules = new TargetRules(false, loopback);
    this.lookup = new NameLookup(NameResolver.system(), time, NameLookup.Limits.defaults());
    this.sender =
        new HttpSender(
            SenderSettings.defaults(inFlight), new AddressGuard(loopback, lookup), lookup, time);
  }

  public void start() {
    lookup.start();
    sender.start();
  }

  public Target target(String url) {
    try {
      return Target.parse(url, rules);
    } catch (BadTarget e) {
      throw new IllegalArgumentException("not a target: " + url, e);
    }
  }

  /**
   * Signs and sends one request, with the headers of the server in their order. To be called on a
   * virtual thread.
   */
  public HttpResult send(Target target, SigningKey key, Try attempt) {
    HeaderList headers = new HeaderList();
    headers.add("User-Agent", USER_AGENT);
    headers.add("Content-Type", "application/json");
    Signable signable =
        new Signable(
            attempt.message(), attempt.delivery(), EVENT_TYPE, time.nowMs() / 1000, attempt.body());
    for (SignatureHeader header : SCHEME.headers(List.of(key), signable)) {
      headers.add(header.name(), header.value());
    }
    headers.add("postrider-delivery-id", attempt.delivery());
    headers.add("postrider-attempt", "1");
    return sender.send(target, "POST", headers, attempt.body(), DEADLINE);
  }

  /** The request of one attempt. */
  public record Try(String message, String delivery, byte[] body) {}

  @Override
  public void close() {
    sender.close();
    lookup.close();
  }
}
