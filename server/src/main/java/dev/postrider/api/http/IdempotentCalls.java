package dev.postrider.api.http;

import dev.postrider.crypto.KeyScope;
import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.MasterKeyUnavailable;
import dev.postrider.crypto.SecretUnreadable;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.TransactionParticipant;
import dev.postrider.time.TimeSource;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Implements idempotency keys for every POST except sends, which have their own implementation. The
 * first request reserves the key, does its work, marks in the same transaction that it was
 * executed, and stores its response, encrypted because responses contain secrets. A repetition on
 * any instance gets that response. If the process died between the work and its response, a
 * repetition gets an error that reports it; nothing is done twice.
 */
public final class IdempotentCalls {
  /** How long a repetition waits for the first request to finish. */
  static final Duration WAIT = Duration.ofSeconds(5);

  static final Duration LOOK_EVERY = Duration.ofMillis(50);

  /** A request that wrote nothing for this long is dead. */
  static final Duration ABANDONED = Duration.ofMinutes(1);

  private static final System.Logger LOG = System.getLogger(IdempotentCalls.class.getName());

  private final CallAnswerStore store;
  private final Keyring keyring;
  private final Function<Call, KeyScope> scope;
  private final Ids ids;
  private final TimeSource time;
  private final Duration window;

  /**
   * @param scope which data key encrypts the response to a call
   * @param window how long a key is kept
   */
  public IdempotentCalls(
      Database database,
      Keyring keyring,
      Function<Call, KeyScope> scope,
      Ids ids,
      TimeSource time,
      Duration window) {
    this.store = new CallAnswerStore(database);
    this.keyring = keyring;
    this.scope = scope;
    this.ids = ids;
    this.time = time;
    this.window = window;
  }

  /** Runs the action, or sends the stored response. */
  void run(Call call, Action action) throws Exception {
    IdempotencyKeys.Scoped scoped = IdempotencyKeys.forCall(call);
    if (scoped == null) {
      action.run(call);
      return;
    }
    run(call, action, scoped);
  }

  private void run(Call call, Action action, IdempotencyKeys.Scoped scoped) throws Exception {
    CallAnswerStore.Claim claim =
        new CallAnswerStore.Claim(scoped.key(), scoped.body(), ids.next(), call.environmentId());
    long end = time.nanos() + WAIT.toNanos();
    while (true) {
      long now = time.nowMs();
      Optional<CallAnswerStore.Known> first =
          store.begin(claim, now, now + window.toMillis(), now - ABANDONED.toMillis());
      if (first.isEmpty()) {
        runFirst(call, action, claim);
        return;
      }
      if (repeat(call, claim, first.get(), end)) {
        return;
      }
    }
  }

  private void runFirst(Call call, Action action, CallAnswerStore.Claim claim) throws Exception {
    Call.Recorded recorded;
    try {
      recorded =
          TransactionParticipant.with(
              handle -> CallAnswerStore.written(handle, claim), () -> call.record(action));
    } catch (Exception e) {
      giveBack(claim, Errors.answer(e, "").status() >= 500);
      throw e;
    }
    keep(call, claim, recorded);
    call.send(recorded);
  }

  private void giveBack(CallAnswerStore.Claim claim, boolean unlessWritten) {
    try {
      store.forget(claim, unlessWritten);
    } catch (DatabaseUnavailable e) {
      LOG.log(
          Level.DEBUG,
          "an idempotency key could not be released; it remains reserved until it expires: {0}",
          e.getMessage());
    }
  }

  private void keep(Call call, CallAnswerStore.Claim claim, Call.Recorded answer) {
    try {
      byte[] sealed = keyring.seal(scope.apply(call), answer.body(), context(claim.key()));
      store.answered(claim, answer.status(), sealed);
    } catch (DatabaseUnavailable | MasterKeyUnavailable | IllegalArgumentException e) {
      LOG.log(Level.WARNING, "a response could not be stored for its idempotency key", e);
    }
  }

  private static byte[] context(Id key) {
    byte[] kind = "call_answers:".getBytes(StandardCharsets.US_ASCII);
    byte[] bytes = key.bytes();
    return ByteBuffer.allocate(kind.length + bytes.length).put(kind).put(bytes).array();
  }

  /** True if a response was sent; false if the key has become free. */
  private boolean repeat(
      Call call, CallAnswerStore.Claim claim, CallAnswerStore.Known first, long end) {
    CallAnswerStore.@Nullable Known known = first;
    while (known != null) {
      if (!known.body().equals(claim.body())) {
        throw ApiError.conflict(
            "the idempotency-key was used for a different request; use a new key for a new"
                + " request");
      }
      if (known.answered()) {
        call.sendAgain(new Call.Recorded(known.status(), opened(claim, known)));
        return true;
      }
      if (known.written() && known.startedAtMs() <= time.nowMs() - ABANDONED.toMillis()) {
        throw lost();
      }
      if (time.nanos() - end > 0) {
        throw ApiError.busy("a request with this idempotency-key is still in progress; try again");
      }
      LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(LOOK_EVERY.toMillis()));
      known = store.find(claim.key()).orElse(null);
    }
    return false;
  }

  private byte[] opened(CallAnswerStore.Claim claim, CallAnswerStore.Known known) {
    byte[] sealed = known.sealed();
    if (sealed == null) {
      return new byte[0];
    }
    try {
      return keyring.open(claim.environmentId(), sealed, context(claim.key()));
    } catch (SecretUnreadable e) {
      LOG.log(Level.WARNING, "a stored response cannot be decrypted", e);
      throw lost();
    }
  }

  private static ApiError lost() {
    return ApiError.conflict(
        "the first request with this idempotency-key was processed, but its response is lost;"
            + " check the created object");
  }
}
