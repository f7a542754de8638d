package dev.postrider.cli.remote;

import dev.postrider.cli.terminal.Progress;
import dev.postrider.cli.terminal.Terminal;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;

/** Follows a background task that sends messages again, and shows how many. */
public final class RunningTask {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private RunningTask() {}

  /**
   * Waits for the end of the task; returns a line about it.
   *
   * @param begun the response of the call that started it
   */
  public static String followed(Remote remote, JsonNode begun, Terminal terminal) {
    return line(ended(remote, begun, terminal));
  }

  /**
   * Waits for the end of the task; returns its last state.
   *
   * @param begun the response of the call that started it
   */
  public static JsonNode ended(Remote remote, JsonNode begun, Terminal terminal) {
    JsonNode ended = last(remote, begun, terminal);
    if (ended.path("status").asString().equals("failed")) {
      throw new CallRefused(
          409,
          result(ended)
              + ": "
              + ended.path("data").path("error").asString("the server reported no reason"),
          List.of());
    }
    return ended;
  }

  /** A line about a task that has ended. */
  public static String line(JsonNode ended) {
    String result = result(ended);
    JsonNode sent = ended.path("data").path("messagesSent");
    return sent.isMissingNode() ? result : result + ": " + sent.asString() + " queued again";
  }

  private static String result(JsonNode task) {
    return "task " + task.path("id").asString() + " " + task.path("status").asString();
  }

  /** The server continues by itself; the user may interrupt this command. */
  private static JsonNode last(Remote remote, JsonNode begun, Terminal terminal) {
    JsonNode task = begun;
    try (Progress progress = Progress.counting(terminal, "queued again")) {
      while (task.path("status").asString().equals("running")) {
        LockSupport.parkNanos(LOOK_NANOS);
        task = remote.get("/background-task/" + Remote.part(begun.path("id").asString()));
        progress.step(task.path("data").path("messagesSent").asLong());
      }
      return task;
    } catch (CallRefused e) {
      return task; // the key of one application may start the task, but not read it
    }
  }
}
