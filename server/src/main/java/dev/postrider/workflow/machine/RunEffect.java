package dev.postrider.workflow.machine;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is done in the transaction of a transition, in addition to its rows. {@code seq} is the row
 * with which a step instance began.
 */
public sealed interface RunEffect {
  /**
   * Schedules a request.
   *
   * @param id of the request
   * @param step whose configuration is used
   * @param body where the body is: the row {@code seq}, or the data of an earlier one
   */
  record Call(int seq, Id id, int step, CallRequest request, ValueRef body) implements RunEffect {}

  /**
   * The computed parts of a request.
   *
   * @param key the {@code idempotency-key}, the same for all attempts
   * @param path with its query; null: that of the URL
   * @param headers computed ones, by name
   */
  record CallRequest(String key, @Nullable String path, Map<String, String> headers) {
    public CallRequest {
      headers = Map.copyOf(headers);
    }
  }

  /** The failed request of this step is tried again after this delay. */
  record Retry(int seq, long delayMs) implements RunEffect {}

  /**
   * Requests are given up: each is answered by a {@link RunEvent.Withdrawn}, also one whose row
   * does not exist any longer (then by its attempts).
   *
   * @param calls the requests by the rows of their steps
   */
  record Withdraw(Map<Integer, Id> calls) implements RunEffect {
    public Withdraw {
      calls = Map.copyOf(calls);
    }
  }

  /** A callback token is valid until then. */
  record OpenCallback(int seq, long expiresAtMs) implements RunEffect {}

  /** Its token is not valid any longer; nothing happens if it was used. */
  record CloseCallback(int seq) implements RunEffect {}

  /**
   * Inserts a child run; it starts at {@code startAtMs}.
   *
   * @param input where its input is
   * @param deadlineMs of this run and step: the child has the smaller one of it and its own
   */
  record StartChild(
      int seq,
      Id child,
      String workflow,
      ValueRef input,
      long startAtMs,
      long deadlineMs,
      int depth)
      implements RunEffect {}

  record CancelChild(int seq, Id child) implements RunEffect {}

  /**
   * The run has ended: an inbox row for its parent.
   *
   * @param value output or error
   */
  record TellParent(RunStatus status, @Nullable JsonValue value) implements RunEffect {}

  /** Inserts the message that {@link Facts#publication} has planned with this id. */
  record Publish(int seq, Id message) implements RunEffect {}

  /** A message of a {@code send} step. */
  record Outgoing(
      String application,
      String eventType,
      @Nullable String eventId,
      List<String> channels,
      List<String> tags,
      JsonValue payload,
      int causation) {}

  /** The filter was false: the row of the run is deleted. */
  record Discard() implements RunEffect {}
}
