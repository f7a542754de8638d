package dev.postrider.task;

/** The status of a task. */
public enum TaskStatus {
  RUNNING(0, "running"),
  FINISHED(1, "finished"),
  FAILED(2, "failed");

  private final int code;
  private final String text;

  TaskStatus(int code, String text) {
    this.code = code;
    this.text = text;
  }

  public String text() {
    return text;
  }

  int code() {
    return code;
  }

  static TaskStatus of(int code) {
    return switch (code) {
      case 0 -> RUNNING;
      case 1 -> FINISHED;
      case 2 -> FAILED;
      default -> throw new IllegalStateException("unknown task status: " + code);
    };
  }
}
