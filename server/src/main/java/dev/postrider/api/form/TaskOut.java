package dev.postrider.api.form;

import dev.postrider.task.Task;

/** Writes a background task into a response. */
public final class TaskOut {
  private TaskOut() {}

  public static String idText(Task task) {
    return task.id().text();
  }

  /** The answer to a call that started the task. */
  public static void started(JsonOut out, Task task) {
    out.text("id", idText(task))
        .text("status", task.status().text())
        .text("task", task.kind().shown())
        .time("updatedAt", task.updatedAt());
  }
}
