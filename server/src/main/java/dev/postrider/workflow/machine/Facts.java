package dev.postrider.workflow.machine;

import dev.postrider.expression.Expressions;
import dev.postrider.id.Id;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@link RunMachine} needs and cannot know. It sees the committed rows only; those of the
 * transition in progress are known to the machine.
 */
public interface Facts {
  long nowMs();

  Id newId();

  /** From 0 to 1, for jitter. */
  double random();

  RunContext run();

  Limits limits();

  /** The URL of the server, for callbacks, without a slash at its end. */
  String publicUrl();

  /**
   * A stored value; null in JSON if the row has none. That of {@link ValueRef.Part#DATA} is the
   * data of the row, otherwise its value.
   */
  JsonValue value(ValueRef ref);

  /** The rows that have this key: the data of the row, otherwise its value. In any order. */
  List<Joined> joined(int key);

  /** The latest row with {@code undo} and {@code after < seq < before}; null if there is none. */
  @Nullable Undoable lastUndo(int after, int before);

  Evaluated evaluate(String expression, JsonValue context, Variables variables);

  /** Why the message cannot be published; null if it is planned. */
  @Nullable String publication(RunEffect.Outgoing message, Id id);

  /** Whether the input satisfies the JSON Schemas of parameters: what is wrong with it. */
  List<String> schemaProblems(JsonValue input);

  /**
   * The limits of a run.
   *
   * @param dataBytes of each value
   * @param rows of the history; more fail the run
   * @param liveSteps at the same time; others wait for one to end
   * @param items of a map
   * @param rowsOfTransition after which the rest of the work is another transition
   */
  record Limits(int dataBytes, int rows, int liveSteps, int items, int rowsOfTransition) {
    public static final Limits DEFAULT = new Limits(1024 * 1024, 100_000, 1_000, 10_000, 200);
  }

  /** The result of a branch or an item. */
  record Joined(int item, JsonValue value) {}

  /**
   * A row to be compensated.
   *
   * @param began the row with which its step began
   * @param handler the number of the handler
   * @param data where the data after it is
   */
  record Undoable(int seq, int began, int handler, ValueRef data) {}

  /** The variables of an expression, loaded only if it uses them. */
  interface Variables {
    Map<String, @Nullable Object> of(Expressions.Names names);
  }

  /** The result of an expression. */
  sealed interface Evaluated {
    /**
     * @param value null in JSON also if the expression has no value
     * @param truth whether it counts as true
     */
    record Result(JsonValue value, boolean truth) implements Evaluated {}

    record Failed(String message) implements Evaluated {}

    /** No thread was free: nothing is wrong with it. */
    record Busy() implements Evaluated {}
  }
}
