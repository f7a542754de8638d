package dev.postrider.delivery.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.http.address.LookupsExhausted;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.NameResolver;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.limit.Share;
import dev.postrider.testkit.Signals;
import dev.postrider.time.SystemTime;
import dev.postrider.time.TimeSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class NameLookupTest {
  private static final NameLookup.Limits SMALL =
      new NameLookup.Limits(
          2,
          new Share(1),
          2,
          Duration.ofMillis(200),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          4);

  /** Four threads, of which an owner alone gets two. */
  private static final NameLookup.Limits TWO_THREADS_EACH =
      new NameLookup.Limits(
          4,
          new Share(0.5),
          2,
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          100);

  private final CountDownLatch hung = new CountDownLatch(1);
  private final AtomicInteger asked = new AtomicInteger();
  private final Signals signals = new Signals();

  @AfterEach
  void unhang() {
    hung.countDown();
  }

  @Test
  void aHungLookupUsesOneThreadForAllItsCallers() throws Exception {
    try (NameLookup lookup = lookup(new SystemTime())) {
      List<CompletableFuture<Object>> callers = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        callers.add(onVirtualThread(() -> lookup.addresses("hung.example")));
      }
      for (CompletableFuture<Object> caller : callers) {
        assertThat(caller.get(60, TimeUnit.SECONDS)).isInstanceOf(UnknownHostException.class);
      }
      assertThat(asked).hasValue(1);
      assertThat(lookup.addresses("good.example")).hasSize(1);
    }
  }

  @Test
  void aHungLookupDoesNotDelaySendsToOtherHosts() throws Exception {
    NameResolver names = host -> host.startsWith("hung") ? hang() : SenderRig.testNames(host);
    try (SenderRig rig = new SenderRig(SenderSettings.defaults(64), names, SenderRig.LOOPBACK);
        ScriptedServer server = ScriptedServer.answering("HTTP/1.1 204 No\r\n\r\n")) {
      List<CompletableFuture<HttpResult>> stuck = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        stuck.add(rig.start("http://hung" + i % 4 + ".test:1/", SenderRig.LONG));
      }
      String url = "http://good.test:" + server.port() + "/";
      assertThat(rig.answered(url).status()).isEqualTo(204);
      assertThat(stuck).noneMatch(CompletableFuture::isDone);
      for (CompletableFuture<HttpResult> one : stuck) {
        assertThat(one.get(60, TimeUnit.SECONDS)).isInstanceOf(HttpResult.NetworkError.class);
      }
      assertThat(rig.sender.leasedConnections()).isZero();
    }
  }

  /** Five tenants with a hundred hung names each leave threads to the others. */
  @Test
  void hungNamesOfSomeOwnersLeaveThreadsToTheOthers() throws Exception {
    NameResolver names = host -> host.startsWith("hung") ? hang() : SenderRig.testNames(host);
    try (SenderRig rig = new SenderRig(SenderSettings.defaults(64), names, SenderRig.LOOPBACK);
        ScriptedServer server = ScriptedServer.answering("HTTP/1.1 204 No\r\n\r\n")) {
      List<CompletableFuture<HttpResult>> stuck = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        Target hangs = SenderRig.target("http://hung" + i + ".test:1/").ownedBy("greedy" + i % 5);
        stuck.add(rig.start(hangs, SenderRig.LONG));
      }
      Target good = SenderRig.target("http://good.test:" + server.port() + "/").ownedBy("other");
      assertThat(rig.start(good, SenderRig.LONG).get(60, TimeUnit.SECONDS))
          .isInstanceOf(HttpResult.Answered.class);
      assertThat(stuck).anyMatch(one -> !one.isDone());
      for (CompletableFuture<HttpResult> one : stuck) {
        assertThat(one.get(60, TimeUnit.SECONDS)).isNotInstanceOf(HttpResult.Answered.class);
      }
    }
  }

  @Test
  void theDeadlineOfAnAttemptEndsItsLookup() throws Exception {
    NameResolver names = host -> host.startsWith("hung") ? hang() : SenderRig.testNames(host);
    NameLookup.Limits patient =
        new NameLookup.Limits(
            2,
            new Share(1),
            2,
            Duration.ofMinutes(5),
            Duration.ofSeconds(30),
            Duration.ofSeconds(5),
            4);
    try (SenderRig rig =
        new SenderRig(SenderSettings.defaults(64), names, SenderRig.LOOPBACK, patient)) {
      assertThat(rig.post("http://hung.test/", Duration.ofMillis(100)))
          .isInstanceOf(HttpResult.TimedOut.class);
    }
  }

  @Test
  void lookupsBeyondTheQueueFailAsOurFault() throws Exception {
    try (NameLookup lookup = lookup(new SystemTime())) {
      List<CompletableFuture<Object>> callers = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        String host = "hung" + i + ".example";
        callers.add(onVirtualThread(() -> lookup.addresses(host)));
      }
      List<Object> ends = new ArrayList<>();
      for (CompletableFuture<Object> caller : callers) {
        ends.add(caller.get(60, TimeUnit.SECONDS));
      }
      // Two threads; two wait in the queue and never get one.
      assertThat(ends.stream().filter(LookupsExhausted.class::isInstance)).hasSize(8);
      assertThat(Failures.outcomeOf(new LookupsExhausted("x")).outcomeClass())
          .isEqualTo(OutcomeClass.UNKNOWN);
    }
  }

  @Test
  void aNameInTheQueueOfOneOwnerIsLookedUpOnTheShareOfAnother() throws Exception {
    try (NameLookup lookup = lookup(new SystemTime(), TWO_THREADS_EACH)) {
      CompletableFuture<Object> first = ask(lookup, "greedy", "hung1.example");
      CompletableFuture<Object> second = ask(lookup, "greedy", "hung2.example");
      awaitRemembered(lookup, 2);
      awaitAsked(2);
      CompletableFuture<Object> queued = ask(lookup, "greedy", "good.example");
      awaitRemembered(lookup, 3);
      assertThat(queued).isNotDone();

      CompletableFuture<Object> other = ask(lookup, "other", "good.example");
      assertThat(other.get(60, TimeUnit.SECONDS)).isInstanceOf(InetAddress[].class);
      assertThat(queued.get(60, TimeUnit.SECONDS)).isInstanceOf(InetAddress[].class);
      assertThat(first.isDone() || second.isDone()).isFalse();
      assertThat(asked).hasValue(3);
    }
  }

  @Test
  void aFullQueueOfOneOwnerRefusesNothingOfAnother() throws Exception {
    try (NameLookup lookup = lookup(new SystemTime(), TWO_THREADS_EACH)) {
      List<CompletableFuture<Object>> greedy = new ArrayList<>();
      for (int i = 1; i <= 4; i++) {
        greedy.add(ask(lookup, "greedy", "hung" + i + ".example"));
        awaitRemembered(lookup, i);
      }
      CompletableFuture<Object> refused = ask(lookup, "greedy", "good.example");
      assertThat(refused.get(60, TimeUnit.SECONDS)).isInstanceOf(LookupsExhausted.class);
      CompletableFuture<Object> other = ask(lookup, "other", "good.example");
      assertThat(other.get(60, TimeUnit.SECONDS)).isInstanceOf(InetAddress[].class);
      assertThat(greedy).noneMatch(CompletableFuture::isDone);
    }
  }

  @Test
  void eachCallerWaitsForTheWholeLimit() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    NameResolver slow =
        _ -> {
          try {
            answer.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")};
        };
    try (NameLookup lookup = new NameLookup(slow, new SystemTime(), TWO_THREADS_EACH)) {
      lookup.start();
      assertThat(ask(lookup, "first", "slow.example").get(60, TimeUnit.SECONDS))
          .isInstanceOf(UnknownHostException.class)
          .isNotInstanceOf(LookupsExhausted.class);
      CompletableFuture<Object> second = new CompletableFuture<>();
      Thread caller = start(second, () -> lookup.addresses("slow.example"));
      Signals.poll(
          "the second waits",
          () -> second.isDone() || caller.getState() == Thread.State.TIMED_WAITING);
      answer.countDown();
      assertThat(second.get(60, TimeUnit.SECONDS)).isInstanceOf(InetAddress[].class);
    }
  }

  @Test
  void anAttemptIsNotDelayedByTheQueueOfAnotherOwner() throws Exception {
    NameResolver names = host -> host.startsWith("hung") ? hang() : SenderRig.testNames(host);
    try (SenderRig rig = new SenderRig(SenderSettings.defaults(64), names, SenderRig.LOOPBACK);
        ScriptedServer server = ScriptedServer.answering("HTTP/1.1 204 No\r\n\r\n")) {
      for (int i = 1; i <= 8; i++) {
        Target hangs = SenderRig.target("http://hung" + i + ".test:1/").ownedBy("greedy");
        rig.start(hangs, SenderRig.LONG);
        awaitRemembered(rig.lookup, i);
      }
      Target good = SenderRig.target("http://good.test:" + server.port() + "/");
      rig.start(good.ownedBy("greedy"), SenderRig.LONG);
      awaitRemembered(rig.lookup, 9);
      assertThat(rig.start(good.ownedBy("other"), SenderRig.LONG).get(60, TimeUnit.SECONDS))
          .isInstanceOf(HttpResult.Answered.class);
    }
  }

  @Test
  void addressesAreKeptForAWhileAndFailuresForAShorterOne() throws Exception {
    AtomicLong nanos = new AtomicLong();
    try (NameLookup lookup = lookup(clock(nanos))) {
      lookup.addresses("good.example");
      lookup.addresses("good.example");
      assertThat(asked).hasValue(1);
      nanos.addAndGet(Duration.ofSeconds(30).toNanos());
      lookup.addresses("good.example");
      assertThat(asked).hasValue(2);

      assertThatThrownBy(() -> lookup.addresses("bad.example"))
          .isInstanceOf(UnknownHostException.class);
      assertThatThrownBy(() -> lookup.addresses("bad.example"))
          .isInstanceOf(UnknownHostException.class);
      assertThat(asked).hasValue(3);
      nanos.addAndGet(Duration.ofSeconds(5).toNanos());
      assertThatThrownBy(() -> lookup.addresses("bad.example"))
          .isInstanceOf(UnknownHostException.class);
      assertThat(asked).hasValue(4);
    }
  }

  @Test
  void theMemoryIsBounded() throws Exception {
    try (NameLookup lookup = lookup(new SystemTime())) {
      for (int i = 0; i < 50; i++) {
        lookup.addresses("good" + i + ".example");
        assertThat(lookup.remembered()).isLessThanOrEqualTo(4);
      }
    }
  }

  private static void awaitRemembered(NameLookup lookup, int count) {
    Signals.poll(count + " names are remembered", () -> lookup.remembered() >= count);
  }

  /** A name is remembered before its thread asks the resolver. */
  private void awaitAsked(int count) {
    signals.await("the resolver was asked " + count + " times", () -> asked.get() >= count);
  }

  private static CompletableFuture<Object> ask(NameLookup lookup, String owner, String host) {
    return onVirtualThread(
        () -> ScopedValue.where(NameLookup.OWNER, owner).call(() -> lookup.addresses(host)));
  }

  private NameLookup lookup(TimeSource time) {
    return lookup(time, SMALL);
  }

  private NameLookup lookup(TimeSource time, NameLookup.Limits limits) {
    NameLookup lookup =
        new NameLookup(
            host -> {
              asked.incrementAndGet();
              signals.signal();
              if (host.startsWith("hung")) {
                return hang();
              }
              if (host.startsWith("bad")) {
                throw new UnknownHostException(host);
              }
              return new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")};
            },
            time,
            limits);
    lookup.start();
    return lookup;
  }

  /** Deaf to interrupts, like the system's resolver. */
  private InetAddress[] hang() throws UnknownHostException {
    while (true) {
      try {
        hung.await();
        throw new UnknownHostException("hung");
      } catch (InterruptedException _) {
        // Goes on hanging.
      }
    }
  }

  private static TimeSource clock(AtomicLong nanos) {
    return new TimeSource() {
      @Override
      public long nowMs() {
        return 0;
      }

      @Override
      public long nanos() {
        return nanos.get();
      }
    };
  }

  private interface Call {
    Object run() throws Exception;
  }

  private static CompletableFuture<Object> onVirtualThread(Call call) {
    CompletableFuture<Object> end = new CompletableFuture<>();
    start(end, call);
    return end;
  }

  private static Thread start(CompletableFuture<Object> end, Call call) {
    return Thread.ofVirtual()
        .start(
            () -> {
              try {
                end.complete(call.run());
              } catch (Exception thrown) {
                end.complete(thrown);
              }
            });
  }
}
