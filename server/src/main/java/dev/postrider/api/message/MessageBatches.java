package dev.postrider.api.message;

import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Errors;
import dev.postrider.api.http.IdempotencyKeys;
import dev.postrider.api.http.IdempotentCalls;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Acceptor;
import dev.postrider.message.MessageReader;
import dev.postrider.message.NewMessage;
import dev.postrider.message.NewMessage.IdempotencyKey;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The API call that sends several messages in one request: one commit, and a result for each. */
final class MessageBatches {
  private final ApplicationLookup applications;
  private final MessageSends sends;
  private final Acceptor acceptor;
  private final MessageReader reader;
  private final IdempotentCalls repeated;
  private final TimeSource time;

  MessageBatches(
      ApplicationLookup applications,
      MessageSends sends,
      Acceptor acceptor,
      MessageReader reader,
      IdempotentCalls repeated,
      TimeSource time) {
    this.applications = applications;
    this.sends = sends;
    this.acceptor = acceptor;
    this.reader = reader;
    this.repeated = repeated;
    this.time = time;
  }

  /**
   * The result of one message.
   *
   * @param error the body of the error response that it would have got alone
   */
  @SuppressWarnings("ArrayRecordComponent") // written once
  private record Result(
      int status, @Nullable String id, byte @Nullable [] error, List<Problem> warnings) {
    static Result of(RuntimeException thrown) {
      Errors.Answer answer = Errors.answer(thrown, "batch");
      return new Result(answer.status(), null, answer.body(), List.of());
    }
  }

  void create(Call call) throws Exception {
    if (acceptor.isFull()) {
      throw ApiError.unavailable("the accept queue is full");
    }
    Application application = applications.inPath(call);
    repeated.runBatch(
        call,
        IdempotencyKeys.forWholeBatch(call, application.id().value(), call.body()),
        application.spec().settings().keyWindowMs(),
        same -> accept(same, application));
  }

  private void accept(Call call, Application application) throws IOException {
    byte[] body = call.body();
    List<byte[]> items = BatchBody.parse(body);
    String name = ApplicationLookup.idText(application);
    List<IdempotencyKey> keys = IdempotencyKeys.forBatch(call, name, body, BatchBody.MAX_MESSAGES);
    // Looked up at all places: a longer second batch must not slip in behind a shorter first one.
    if (reader.usedForAnother(application.id(), keys, time.nowMs())) {
      throw ApiError.conflict(
          "the idempotency-key was used with a different body; use a new key for a new batch");
    }
    Result[] results = new Result[items.size()];
    List<Integer> places = new ArrayList<>();
    List<NewMessage> messages = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      try {
        MessageBody message = MessageBody.parse(items.get(i));
        message.refuseUnknown();
        messages.add(sends.message(call, name, message, keys.isEmpty() ? null : keys.get(i)));
        places.add(i);
      } catch (InvalidFields e) {
        results[i] = Result.of(e);
      }
    }
    accept(call, messages, places, results);
    answer(call, results);
  }

  private void accept(
      Call call, List<NewMessage> messages, List<Integer> places, Result[] results) {
    if (messages.isEmpty()) {
      return;
    }
    List<AcceptResult> outcomes = acceptor.acceptAll(messages);
    refuseIfNone(outcomes);
    if (outcomes.stream().anyMatch(MessageBatches::passing)) {
      call.passing();
    }
    for (int i = 0; i < outcomes.size(); i++) {
      results[places.get(i)] = result(outcomes.get(i));
    }
  }

  /** An error of the whole batch is the response to the whole request. */
  private static void refuseIfNone(List<AcceptResult> outcomes) {
    boolean none =
        outcomes.stream()
            .allMatch(
                outcome ->
                    outcome instanceof AcceptResult.Refused
                        || outcome instanceof AcceptResult.NoSuchApplication
                        || outcome instanceof AcceptResult.ApplicationInactive);
    if (none) {
      MessageSends.accepted(outcomes.getFirst());
    }
  }

  private static boolean passing(AcceptResult outcome) {
    return outcome instanceof AcceptResult.Refused || outcome instanceof AcceptResult.TooMany;
  }

  private static Result result(AcceptResult outcome) {
    try {
      AcceptResult.Accepted accepted = MessageSends.accepted(outcome);
      return new Result(202, accepted.messageId().text(), null, accepted.warnings());
    } catch (ApiError | InvalidFields e) {
      return Result.of(e);
    }
  }

  private static void answer(Call call, Result[] results) {
    call.json(
        202,
        out ->
            out.object(
                o ->
                    o.array(
                        "data",
                        List.of(results),
                        (item, result) -> {
                          item.number("status", result.status()).textOrNull("id", result.id());
                          item.raw(
                              "error",
                              result.error() == null
                                  ? null
                                  : new String(result.error(), StandardCharsets.UTF_8));
                          if (!result.warnings().isEmpty()) {
                            Errors.problems(item, "warnings", result.warnings());
                          }
                        })));
  }
}
