package dev.postrider.api;

import dev.postrider.id.IdKind;
import dev.postrider.task.Task;

/** Writes a background task. */
final class TaskOut {
  private TaskOut() {}

  static String idText(Task task) {
    return task.id().text(IdKind.TASK);
  }

  /** The answer to a call that started the task. */
  static void started(JsonOut out, Task task) {
    out.text("id", idText(task))
        .text("status", task.status().text())
        .text("task", task.kind().shown())
        .time("updatedAt", task.updatedAtMs());
  }
}
