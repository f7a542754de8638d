package dev.postrider.workflow.definition;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A step of a workflow. Texts that are called expressions are JSONata. */
public sealed interface Step {
  Common common();

  default int number() {
    return common().number();
  }

  default String name() {
    return common().name();
  }

  /** Its type, as definitions spell it. */
  default String type() {
    return switch (this) {
      case Http _ -> "http";
      case Choice _ -> "choice";
      case Parallel _ -> "parallel";
      case MapItems _ -> "map";
      case Wait _ -> "wait";
      case Callback _ -> "callback";
      case Child _ -> "workflow";
      case Send _ -> "send";
      case Transform _ -> "transform";
      case Fail _ -> "fail";
      case Succeed _ -> "succeed";
    };
  }

  /** Its retries; {@link Retry#NONE} for types that have none. */
  default Retry retry() {
    return Retry.NONE;
  }

  /** How long the whole step may take; null: as long as the run. */
  default @Nullable Duration timeout() {
    return null;
  }

  /**
   * Calls a URL; its result is the response.
   *
   * @param timeout of the step with retries, waits for its lane and an open circuit
   */
  record Http(Common common, Request request, @Nullable Duration timeout, Retry retry)
      implements Step {}

  /**
   * Continues with another step.
   *
   * @param options in order; the first whose expression is true counts
   * @param otherwise the step if none is; null: an error of the class expression
   */
  record Choice(Common common, List<Option> options, @Nullable Integer otherwise) implements Step {
    public Choice {
      options = List.copyOf(options);
    }

    /**
     * One of the choices.
     *
     * @param when an expression
     * @param next the number of a step of the same list
     */
    public record Option(String when, int next) {}
  }

  /** Runs its branches at the same time; its result is an object of their data by name. */
  record Parallel(Common common, List<Branch> branches, @Nullable Duration timeout)
      implements Step {
    public Parallel {
      branches = List.copyOf(branches);
    }

    /** One of the branches. */
    public record Branch(String name, Block block) {}
  }

  /**
   * Runs its steps for each item of an array; its result is the array of their data, in the order
   * of the items.
   *
   * @param items the expression of the array
   * @param concurrency how many items at the same time
   * @param collects {@code on_item_failure: collect}: the error of an item takes its place in the
   *     result; otherwise it is the error of the step
   */
  record MapItems(
      Common common,
      String items,
      Block block,
      int concurrency,
      boolean collects,
      @Nullable Duration timeout)
      implements Step {}

  /** Waits; its result is null. */
  record Wait(Common common, Until until) implements Step {

    /** Until when. */
    public sealed interface Until {}

    /** For some time. */
    public record For(Duration duration) implements Until {}

    /** Until a time. */
    public record At(Instant time) implements Until {}

    /** As an expression says: a duration or a time as text, or a number of seconds. */
    public record Computed(String expression) implements Until {}
  }

  /**
   * Waits for a call of its one-time URL; its result is the body of that call.
   *
   * @param timeout after which it fails with {@code callback_expired}
   * @param request a notification with the URL; null for none
   * @param retry of the notification
   */
  record Callback(Common common, Duration timeout, @Nullable Request request, Retry retry)
      implements Step {}

  /**
   * Runs another workflow; its result is the output of that run.
   *
   * @param workflow its name; the version is the current one when the child starts
   * @param retry starts a new child
   */
  record Child(Common common, String workflow, @Nullable Duration timeout, Retry retry)
      implements Step {}

  /**
   * Publishes a message to an application; its result is an object with the id of the message.
   *
   * @param application its uid
   * @param eventId the expression of the event id; null for none
   * @param payload the expression of the payload; null: the input of the step
   */
  record Send(
      Common common,
      String application,
      String eventType,
      @Nullable String eventId,
      @Nullable String payload,
      List<String> channels,
      List<String> tags)
      implements Step {
    public Send {
      channels = List.copyOf(channels);
      tags = List.copyOf(tags);
    }
  }

  /** Its result is the value of an expression. */
  record Transform(Common common, String expression) implements Step {}

  /**
   * Fails its scope.
   *
   * @param error the class of the error, for {@code catch}
   */
  record Fail(Common common, String error, @Nullable String message) implements Step {}

  /** Ends its list; the {@code output} of {@link Common}, if there is one, is the data. */
  record Succeed(Common common) implements Step {}
}
