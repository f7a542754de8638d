package dev.postrider.configfile.remote;

import dev.postrider.config.FileConfig;
import dev.postrider.config.Settings;
import dev.postrider.delivery.http.HeaderList;
import dev.postrider.delivery.http.HttpResult;
import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.ProxyBypass;
import dev.postrider.delivery.http.SenderSettings;
import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.OwnReceiver;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.net.Cidr;
import dev.postrider.options.OptionNames;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Fetches files with one GET each, without redirects. Its address guard allows the networks that
 * the operator configured for the file. Plain http is possible only there, so that the file cannot
 * be changed on the way.
 */
final class FileClient implements AutoCloseable {
  static final int MAX_BYTES = 4 * 1024 * 1024;
  static final Duration DEADLINE = Duration.ofSeconds(10);

  private final List<Cidr> allowed;
  private final TargetRules rules;
  private final boolean proxied;
  private final NameLookup lookup;
  private final AddressGuard guard;
  private final HttpSender http;

  FileClient(FileConfig.Fetching config, TimeSource time) {
    this.allowed = config.allowTargets().stream().map(Cidr::parse).toList();
    // Whether plain http is allowed depends on the addresses: see refuseOpenHttp.
    this.rules = new TargetRules(false, allowed, new OwnReceiver(), FileClient::nameOf);
    this.proxied = config.proxy().isPresent();
    this.lookup = new NameLookup(InetAddress::getAllByName, time, NameLookup.Limits.defaults());
    this.guard = new AddressGuard(rules, lookup);
    this.http = new HttpSender(settings(config), guard, lookup, time);
  }

  /** Networks that the file may be in have a setting of their own. */
  private static String nameOf(OptionNames.Option option) {
    return option == OptionNames.Option.ALLOW_TARGETS
        ? "POSTRIDER_CONFIG_ALLOW_TARGETS"
        : Settings.nameOf(option);
  }

  private static SenderSettings settings(FileConfig.Fetching config) {
    SenderSettings settings =
        SenderSettings.defaults(1)
            .withKeptBytes(MAX_BYTES)
            .withAnswers(new SenderSettings.AnswerRules("etag", false));
    return config
        .proxy()
        .map(
            proxy ->
                settings.withProxy(proxy, ProxyBypass.of(config.noProxy()), FileClient::nameOf))
        .orElse(settings);
  }

  void start() {
    lookup.start();
    http.start();
  }

  @Override
  public void close() {
    http.close();
    lookup.close();
  }

  /** The URL as a target of requests. */
  Target target(String url) throws FetchFailed {
    try {
      return Target.parse(url, rules);
    } catch (BadTarget e) {
      throw new FetchFailed(String.valueOf(e.getMessage()));
    }
  }

  /** The response, whatever its status is. */
  HttpResult.Answered get(Target target, HeaderList headers) throws FetchFailed {
    refuseOpenHttp(target);
    return switch (onVirtualThread(target, headers)) {
      case HttpResult.Answered answered -> answered;
      case HttpResult.TimedOut o -> throw new FetchFailed(o.detail());
      case HttpResult.NetworkError o -> throw new FetchFailed(o.detail());
      case HttpResult.TlsError o -> throw new FetchFailed(o.detail());
      case HttpResult.Blocked o -> throw new FetchFailed(o.detail());
      case HttpResult.OurFault o -> throw new FetchFailed(o.detail());
      case HttpResult.ProxyUnavailable o -> throw new FetchFailed(o.detail());
    };
  }

  private void refuseOpenHttp(Target target) throws FetchFailed {
    if (target.isHttps()) {
      return;
    }
    boolean known = !proxied;
    try {
      for (InetAddress address : known ? guard.resolve(target.host()) : new InetAddress[0]) {
        known &= Cidr.anyContains(allowed, address);
      }
    } catch (IOException e) {
      throw new FetchFailed(String.valueOf(e.getMessage()));
    }
    if (!known) {
      throw new FetchFailed(
          "http:// is allowed only for loopback and for the networks in"
              + " POSTRIDER_CONFIG_ALLOW_TARGETS, without an egress proxy; use https://");
    }
  }

  /** The sender interrupts the thread that it runs on. */
  private HttpResult onVirtualThread(Target target, HeaderList headers) throws FetchFailed {
    FutureTask<HttpResult> task =
        new FutureTask<>(() -> http.send(target, "GET", headers, new byte[0], DEADLINE));
    Thread.ofVirtual().name("fetch-configuration").start(task);
    try {
      return task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      task.cancel(true);
      throw new FetchFailed("interrupted before the response");
    } catch (ExecutionException e) {
      throw new IllegalStateException("the HTTP sender threw an exception", e.getCause());
    }
  }
}
