package dev.postrider.delivery.http;

import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.NameResolver;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.net.Cidr;
import dev.postrider.time.SystemTime;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A running sender that may reach loopback and knows names ending in .test as 127.0.0.1. */
final class SenderRig implements AutoCloseable {
  static final List<Cidr> LOOPBACK = List.of(Cidr.parse("127.0.0.0/8"));
  static final TargetRules RULES = new TargetRules(false, LOOPBACK);
  static final Duration LONG = Duration.ofSeconds(20);

  final NameLookup lookup;
  final AddressGuard guard;
  final HttpSender sender;

  SenderRig(SenderSettings settings, NameResolver names, List<Cidr> allowed) {
    this(settings, names, allowed, NameLookup.Limits.defaults());
  }

  SenderRig(
      SenderSettings settings, NameResolver names, List<Cidr> allowed, NameLookup.Limits limits) {
    SystemTime time = new SystemTime();
    lookup = new NameLookup(names, time, limits);
    guard = new AddressGuard(allowed, lookup);
    sender = new HttpSender(settings, guard, lookup, time);
    lookup.start();
    sender.start();
  }

  SenderRig(SenderSettings settings) {
    this(settings, SenderRig::testNames, LOOPBACK);
  }

  SenderRig() {
    this(SenderSettings.defaults(64));
  }

  static InetAddress[] testNames(String host) throws UnknownHostException {
    if (host.endsWith(".test")) {
      return new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")};
    }
    throw new UnknownHostException(host);
  }

  static Target target(String url) {
    try {
      return Target.parse(url, RULES);
    } catch (BadTarget bad) {
      throw new AssertionError(bad);
    }
  }

  HttpResult post(String url, Duration deadline) throws Exception {
    return start(url, deadline).get(60, TimeUnit.SECONDS);
  }

  HttpResult post(String url) throws Exception {
    return post(url, LONG);
  }

  HttpResult.Answered answered(String url) throws Exception {
    HttpResult outcome = post(url);
    if (outcome instanceof HttpResult.Answered answered) {
      return answered;
    }
    throw new AssertionError("expected an answer, got " + outcome);
  }

  CompletableFuture<HttpResult> start(String url, Duration deadline) {
    return start(url, "POST", new HeaderList(), "{}", deadline);
  }

  CompletableFuture<HttpResult> start(Target target, Duration deadline) {
    return start(target, "POST", new HeaderList(), "{}", deadline);
  }

  CompletableFuture<HttpResult> start(
      String url, String method, HeaderList headers, String body, Duration deadline) {
    return start(target(url), method, headers, body, deadline);
  }

  /** Sends on a virtual thread of its own, and checks that no interrupt is left behind on it. */
  private CompletableFuture<HttpResult> start(
      Target target, String method, HeaderList headers, String body, Duration deadline) {
    CompletableFuture<HttpResult> result = new CompletableFuture<>();
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    Thread.ofVirtual()
        .start(
            () -> {
              HttpResult outcome = sender.send(target, method, headers, bytes, deadline);
              if (Thread.interrupted()) {
                result.completeExceptionally(new AssertionError("an interrupt was left behind"));
              } else {
                result.complete(outcome);
              }
            });
    return result;
  }

  @Override
  public void close() {
    sender.close();
    lookup.close();
  }
}
