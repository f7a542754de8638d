package dev.postrider.delivery.loop.step;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.id.Id;
import dev.postrider.message.NewStepCall;
import dev.postrider.message.StepAnswer;
import dev.postrider.message.StepAnswer.Kind;
import dev.postrider.message.StepCalls;
import dev.postrider.message.StepCalls.Withdrawn;
import dev.postrider.message.StepShape;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.StepOwner;
import dev.postrider.testkit.TestEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/**
 * Requests of steps are sent, retried and given up as deliveries, in transactions of their owner.
 */
@OnEachDatabase
class StepCallsTest extends EngineBehaviour {
  @Parameter Databases.Kind kind;

  private final AtomicInteger status = new AtomicInteger(200);
  private TestEngine engine;
  private StepOwner owner;
  private Id lane;

  private void begin(String... settings) {
    receiver.behave(
        request ->
            new Receiver.Answer(status.get(), Map.of(), "{\"got\":\"" + request.path() + "\"}"));
    engine = start(kind, settings);
    Application application = engines.application(engine, "order");
    owner = new StepOwner(engine, application, signals, receiver.url("/s"), engine.ids().next());
    lane = owner.lane("charge", null);
  }

  private long deliveries() {
    return Engines.count(engine, "deliveries");
  }

  @Test
  void aRequestIsSentAndItsEndLeavesTheAttemptOnly() {
    begin();
    NewStepCall call =
        owner.call(
            lane,
            3,
            "{\"total\":7}",
            new StepShape("/s3?x=1", Map.of("idempotency-key", "run/charge/1")).encode());

    owner.insert(List.of(call));
    StepAnswer answer = owner.answer();

    Receiver.Request request = receiver.requests().getFirst();
    assertThat(request.path()).isEqualTo("/s3?x=1");
    assertThat(request.text()).isEqualTo("{\"total\":7}");
    assertThat(request.header("idempotency-key")).isEqualTo("run/charge/1");
    assertThat(request.header("x-step")).isEqualTo("3");
    assertThat(answer.kind()).isEqualTo(Kind.ANSWERED);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(new String(answer.body())).isEqualTo("{\"got\":\"/s3?x=1\"}");
    assertThat(deliveries()).as("held until it is settled").isEqualTo(1);
    assertThat(Engines.attempts(engine)).isZero();

    assertThat(owner.end(answer).held()).isTrue();

    assertThat(deliveries()).isZero();
    assertThat(Engines.attempts(engine, OutcomeClass.SUCCESS)).isEqualTo(1);
    assertThat(Engines.count(engine, "messages")).isZero();
    assertThat(engine.lanes().room().leased()).isZero();
    assertThat(engine.lanes().room().inFlight()).isZero();
  }

  @Test
  void theNextRequestIsLeasedInTheTransactionThatEndsTheLastOne() {
    begin();
    NewStepCall first = owner.call(lane, 1, "1", null);
    NewStepCall second = owner.call(owner.lane("ship", null), 2, "2", null);
    NewStepCall unwanted = owner.call(lane, 1, "3", null);
    owner.insert(List.of(first));
    StepAnswer answer = owner.answer();

    owner.settle(
        List.of(new StepCalls.End(answer, null)),
        List.of(),
        List.of(second, unwanted),
        call -> call.equals(second.call()));

    StepAnswer next = owner.answer();
    assertThat(next.call()).isEqualTo(second.call());
    owner.end(next);
    assertThat(receiver.requests()).extracting(Receiver.Request::text).containsExactly("1", "2");
    assertThat(deliveries()).isZero();
    assertThat(engine.lanes().room().leased()).isZero();
  }

  @Test
  void aRetryHasTheSameBodyAndCountsAsOne() {
    begin("BREAKER_FAILURES=100");
    status.set(503);
    owner.insert(List.of(owner.call(lane, 1, "{\"n\":1}", null)));
    StepAnswer failed = owner.answer();
    assertThat(failed.status()).isEqualTo(503);
    assertThat(failed.failedBefore()).isZero();

    status.set(200);
    assertThat(owner.retry(failed, 0).retryAtMs()).isNotNull();
    StepAnswer retried = owner.answer();

    assertThat(retried.failedBefore()).isEqualTo(1);
    assertThat(retried.call()).isEqualTo(failed.call());
    owner.end(retried);
    assertThat(receiver.requests())
        .extracting(Receiver.Request::text)
        .containsExactly("{\"n\":1}", "{\"n\":1}");
    assertThat(deliveries()).isZero();
    assertThat(Engines.attempts(engine)).isEqualTo(2);
  }

  @Test
  void anAddressThatIsNotAllowedIsRejectedAndNotSent() {
    begin();
    StepOwner elsewhere =
        new StepOwner(
            engine,
            engines.application(engine, "other"),
            signals,
            "http://127.0.0.1:1@bad/",
            engine.ids().next());
    elsewhere.insert(List.of(elsewhere.call(elsewhere.lane("x", null), 1, "{}", null)));

    StepAnswer answer = elsewhere.answer();

    assertThat(answer.kind()).isEqualTo(Kind.REJECTED);
    assertThat(answer.error()).isNotNull();
    assertThat(elsewhere.end(answer).held()).isTrue();
    assertThat(deliveries()).isZero();
  }

  @Test
  void whatMayNotBeStoredIsFilledInAtEachSend() {
    begin();
    owner.insert(List.of(owner.call(lane, 1, "{{token}}", null)));
    StepAnswer first = owner.answer();
    owner.retry(first, 0);
    owner.end(owner.answer());

    assertThat(receiver.requests())
        .extracting(Receiver.Request::text)
        .containsExactly("token-of-this-send", "token-of-this-send");
  }

  @Test
  void aResponseIsKeptUpToTheLimitOfStepsAndRecordedUpToThatOfAttempts() {
    begin();
    String large = "x".repeat(100_000);
    receiver.behave(request -> new Receiver.Answer(200, Map.of(), large));
    owner.insert(List.of(owner.call(lane, 1, "{}", null)));
    StepAnswer whole = owner.answer();
    assertThat(whole.body()).hasSize(100_000);
    assertThat(engine.lanes().room().leasedBytes())
        .as("counted while it is in memory")
        .isGreaterThan(100_000);
    assertThat(whole.truncated()).isFalse();
    owner.end(whole);
    assertThat(Engines.number(engine, "SELECT max(length(response)) FROM attempts"))
        .isEqualTo(10 * 1024);

    receiver.behave(request -> new Receiver.Answer(200, Map.of(), "x".repeat((1 << 20) + 1)));
    owner.insert(List.of(owner.call(lane, 1, "{}", null)));
    StepAnswer cut = owner.answer();
    assertThat(cut.truncated()).isTrue();
    owner.end(cut);
    assertThat(engine.lanes().room().leasedBytes()).isZero();
  }

  @Test
  void withdrawnRequestsSayWhatHappenedToThem() throws Exception {
    begin("BREAKER_FAILURES=100");
    status.set(500);
    NewStepCall answered = owner.call(lane, 1, "{}", null);
    owner.insert(List.of(answered));
    owner.retry(owner.answer(), 3_600_000);
    assertThat(owner.withdraw(answered.call())).isEqualTo(Withdrawn.ANSWERED);

    Id paused = owner.lane("paused", null);
    Engines.sql(engine, "UPDATE lanes SET paused = true WHERE id = " + literal(paused));
    NewStepCall untried = owner.call(paused, 1, "{}", null);
    owner.insert(List.of(untried));
    assertThat(deliveries()).as("pending").isEqualTo(1);
    assertThat(owner.withdraw(untried.call())).isEqualTo(Withdrawn.UNTRIED);

    receiver.behave(request -> hang());
    NewStepCall hung = owner.call(lane, 1, "{}", null);
    owner.insert(List.of(hung));
    receiver.await(2);
    assertThat(owner.withdraw(hung.call())).isEqualTo(Withdrawn.IN_FLIGHT);
    assertThat(deliveries()).isEqualTo(1);
    theEnd.countDown();
    assertThat(owner.end(owner.answer()).held()).isTrue();
    assertThat(deliveries()).isZero();
  }

  private String literal(Id id) {
    return kind == Databases.Kind.SQLITE
        ? "x'" + id.uuid().toString().replace("-", "") + "'"
        : "'" + id.uuid() + "'";
  }

  @Test
  void aLeaseThatWasLostChangesNothing() {
    begin();
    owner.insert(List.of(owner.call(lane, 1, "{}", null)));
    StepAnswer answer = owner.answer();
    Engines.sql(engine, "UPDATE deliveries SET lease_version = lease_version + 1");

    assertThat(owner.end(answer).held()).isFalse();

    assertThat(deliveries()).isEqualTo(1);
    assertThat(Engines.attempts(engine)).isZero();
    assertThat(engine.lanes().room().leased()).isZero();
  }

  @Test
  void aRequestOfAnOlderEpochIsNotClaimed() {
    begin();
    Engines.sql(engine, "UPDATE lanes SET paused = true");
    NewStepCall canceled = owner.call(lane, 1, "old", null);
    owner.insert(List.of(canceled));
    owner.newEpoch(canceled.call());
    NewStepCall live = owner.call(lane, 1, "new", null);
    owner.insert(List.of(live));
    Engines.sql(engine, "UPDATE lanes SET paused = false");
    engine.lanes().unpark(live.call().applicationId(), lane, 0);

    owner.end(owner.answer());

    assertThat(receiver.requests()).extracting(Receiver.Request::text).containsExactly("new");
    assertThat(owner.withdraw(canceled.call())).isEqualTo(Withdrawn.UNTRIED);
    assertThat(deliveries()).isZero();
  }

  @Test
  void theCircuitOfTheLaneOpensAndHoldsRequestsBack() {
    begin("BREAKER_FAILURES=2", "BREAKER_SPAN=0s", "BREAKER_COOLDOWN=300ms");
    status.set(500);
    NewStepCall call = owner.call(lane, 1, "{}", null);
    owner.insert(List.of(call));
    owner.retry(owner.answer(), 0);
    StepCalls.Ended opened = owner.retry(owner.answer(), 0);

    assertThat(Engines.lane(engine, lane).state().circuit()).isEqualTo(Circuit.OPEN);
    assertThat(opened.retryAtMs()).isEqualTo(Engines.lane(engine, lane).state().openUntilMs());
    NewStepCall other = owner.call(lane, 1, "{}", null);
    owner.insert(List.of(other));
    assertThat(Engines.number(engine, "SELECT count(*) FROM deliveries WHERE status = 0"))
        .as("pending, because the lane is closed")
        .isEqualTo(1);

    status.set(200);
    List<StepAnswer> answers = List.of(owner.answer());
    answers.forEach(owner::end);
    owner.end(owner.answer());
    assertThat(Engines.lane(engine, lane).state().circuit()).isEqualTo(Circuit.CLOSED);
    assertThat(deliveries()).isZero();
  }

  @Test
  void goneNeverDisablesTheLane() {
    begin();
    status.set(410);
    owner.insert(List.of(owner.call(lane, 1, "{}", null)));
    owner.end(owner.answer());
    status.set(200);
    owner.insert(List.of(owner.call(lane, 1, "{}", null)));

    assertThat(owner.answer().status()).isEqualTo(200);
  }

  @Test
  void aThrottledLaneIsSentAtItsRate() {
    begin();
    Id throttled = owner.lane("slow", 20);
    List<NewStepCall> calls = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      calls.add(owner.call(throttled, 1, "{}", null));
    }
    owner.insert(calls);
    for (int i = 0; i < calls.size(); i++) {
      owner.end(owner.answer());
    }

    List<Receiver.Request> requests = receiver.requests();
    long tookMs = (requests.getLast().atNanos() - requests.getFirst().atNanos()) / 1_000_000;
    assertThat(tookMs).as("5 intervals of 50 ms, each sent within 250 ms").isGreaterThan(150);
    assertThat(deliveries()).isZero();
  }

  @Test
  void aRequestOfAnInstanceThatDiedIsRescuedAndSentAgain() {
    begin("HEARTBEAT=100ms", "DEAD_AFTER=1s");
    AtomicInteger count = new AtomicInteger();
    receiver.behave(request -> count.getAndIncrement() == 0 ? hang() : Receiver.Answer.of(200));
    NewStepCall call = owner.call(lane, 1, "{\"n\":1}", null);
    owner.insert(List.of(call));
    receiver.await(1);
    Application application = engines.application(engine, "order");
    Id version = call.call().origin().version();
    engines.forget(engine);
    engine.halt();
    theEnd.countDown();
    TestEngine other = engines.start("HEARTBEAT=100ms", "DEAD_AFTER=1s");
    StepOwner heir = new StepOwner(other, application, signals, receiver.url("/s"), version);

    StepAnswer answer = heir.answer();

    assertThat(answer.call()).isEqualTo(call.call());
    assertThat(answer.failedBefore()).as("a rescue is no failure").isZero();
    assertThat(heir.end(answer).held()).isTrue();
    assertThat(receiver.requests())
        .extracting(Receiver.Request::text)
        .containsExactly("{\"n\":1}", "{\"n\":1}");
    assertThat(Engines.attempts(other, OutcomeClass.UNKNOWN)).isEqualTo(1);
    assertThat(Engines.attempts(other, OutcomeClass.SUCCESS)).isEqualTo(1);
    assertThat(Engines.count(other, "deliveries")).isZero();
  }

  @Test
  void listenersHearOfAttemptsOnce() {
    AtomicInteger finished = new AtomicInteger();
    begin();
    owner.insert(List.of(owner.call(lane, 1, "{}", null)));
    StepAnswer answer = owner.answer();
    DeliveryListener counting =
        new DeliveryListener() {
          @Override
          public void finished(Outcome outcome, Finish finish) {
            finished.incrementAndGet();
          }
        };
    engine.listen(counting);
    owner.end(answer);

    assertThat(finished).hasValue(1);
  }
}
