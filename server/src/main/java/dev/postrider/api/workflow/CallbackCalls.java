package dev.postrider.api.workflow;

import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.loop.RunOutcome;
import io.helidon.http.HeaderNames;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The calls by which a step that waits for its callback is completed or failed. */
final class CallbackCalls {
  /** How long a call waits for the commit of its transition. */
  private static final Duration COMMIT = Duration.ofSeconds(30);

  private final WorkflowArea.Callbacks callbacks;
  private final int dataBytes;

  CallbackCalls(WorkflowArea.Callbacks callbacks, int dataBytes) {
    this.callbacks = callbacks;
    this.dataBytes = dataBytes;
  }

  void complete(Call call) throws IOException, InterruptedException {
    receive(call, false);
  }

  void fail(Call call) throws IOException, InterruptedException {
    receive(call, true);
  }

  /** The body is read first, so that its refusal says nothing about the token. */
  private void receive(Call call, boolean failed) throws IOException, InterruptedException {
    JsonValue body = body(call);
    if (!(outcome(call.path("token"), body, failed) instanceof RunOutcome.Done)) {
      throw ApiError.notFound("callback");
    }
    call.noContent();
  }

  private JsonValue body(Call call) throws IOException {
    String coding = call.header(HeaderNames.CONTENT_ENCODING);
    if (coding != null && !coding.equalsIgnoreCase("identity")) {
      throw new ApiError(415, "unsupported_encoding", "send the body without Content-Encoding");
    }
    JsonValue value = JsonValue.ofBody(call.body(dataBytes));
    // A text that is not JSON becomes longer as a JSON string.
    if (value.size() > dataBytes) {
      throw new ApiError(
          413,
          "payload_too_large",
          "the body may have at most " + dataBytes + " bytes as a JSON value");
    }
    return value;
  }

  private RunOutcome outcome(String token, JsonValue body, boolean failed)
      throws InterruptedException {
    try {
      return callbacks.call(token, body, failed).get(COMMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw ApiError.unavailable(
          "the callback is not recorded yet; repeat the call: 404 then means that it was recorded");
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException fault -> throw fault;
        case Error fault -> throw fault;
        case null, default -> throw new IllegalStateException("a callback failed", e);
      }
    }
  }
}
