package dev.postrider.app;

import dev.postrider.delivery.http.HeaderList;
import dev.postrider.delivery.http.HttpResult;
import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.delivery.http.address.TargetRules;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/** Fetches URLs from messages of providers, through the same address guard as deliveries. */
final class ProviderFetch {
  static final Duration DEADLINE = Duration.ofSeconds(5);

  private final HttpSender http;
  private final TargetRules rules;

  ProviderFetch(HttpSender http, TargetRules rules) {
    this.http = http;
    this.rules = rules;
  }

  byte[] get(URI url) throws IOException {
    Target target;
    try {
      // issuers of certificates serve them over plain HTTP; they are signed themselves
      target = Target.parse(url.toString(), rules);
    } catch (BadTarget e) {
      throw new IOException(e.getMessage(), e);
    }
    return switch (http.send(target, "GET", new HeaderList(), new byte[0], DEADLINE)) {
      case HttpResult.Answered answered -> {
        if (answered.status() != 200 || answered.truncated()) {
          throw new IOException(
              url.getHost()
                  + " responded with status "
                  + answered.status()
                  + (answered.truncated() ? ", and the body is too large" : ""));
        }
        yield answered.body();
      }
      case HttpResult.TimedOut o -> throw new IOException(o.detail());
      case HttpResult.NetworkError o -> throw new IOException(o.detail());
      case HttpResult.TlsError o -> throw new IOException(o.detail());
      case HttpResult.Blocked o -> throw new IOException(o.detail());
      case HttpResult.OurFault o -> throw new IOException(o.detail());
      case HttpResult.ProxyUnavailable o -> throw new IOException(o.detail());
    };
  }

  void confirm(URI url) throws IOException {
    get(url);
  }
}
