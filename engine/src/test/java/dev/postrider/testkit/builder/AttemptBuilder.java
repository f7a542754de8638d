package dev.postrider.testkit.builder;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.Outcome;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.policy.Verdict;
import dev.postrider.id.Id;

/** An attempt that the receiver answered with 200, and what follows from it. */
public final class AttemptBuilder {
  private Id id = new Id(8, 8);
  private int status = 200;
  private long sentAtMs = 1;
  private RetryPolicy retry = RetryPolicy.DEFAULT;

  private AttemptBuilder() {}

  public static AttemptBuilder anAttempt() {
    return new AttemptBuilder();
  }

  public AttemptBuilder id(Id value) {
    id = value;
    return this;
  }

  public AttemptBuilder status(int code) {
    status = code;
    return this;
  }

  public AttemptBuilder sentAtMs(long time) {
    sentAtMs = time;
    return this;
  }

  public AttemptBuilder retry(RetryPolicy policy) {
    retry = policy;
    return this;
  }

  public Finish.Attempt build() {
    return new Finish.Attempt(
        id,
        (status < 300 ? OutcomeClass.SUCCESS : OutcomeClass.HTTP).code(),
        status,
        1,
        sentAtMs,
        "https://example.com/",
        null,
        null,
        null,
        null);
  }

  /** The result of this attempt, not recorded yet. */
  public Outcome.Tried resultOf(Delivery delivery, Meaning meaning) {
    return new Outcome.Tried(delivery, meaning, build(), null, retry, 10);
  }

  /** Ends the lease: this attempt has delivered it. */
  public Finish delivered(Delivery delivery) {
    return Finish.tried(delivery.ref(), Verdict.DELIVERED, build(), sentAtMs);
  }
}
