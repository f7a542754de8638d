package dev.postrider.task;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A task as stored.
 *
 * @param input what the caller asked for; never changes
 * @param progress {@code cursor}, where the next step begins, and {@code data}, what callers see
 * @param leaseVersion bumped by whoever takes the task
 */
public record Task(
    Id id,
    String environmentId,
    @Nullable Id applicationId,
    TaskKind kind,
    TaskStatus status,
    ObjectNode input,
    Progress progress,
    int leaseVersion,
    long updatedAtMs) {

  /** The application of a task that belongs to one. */
  Id application() {
    if (applicationId == null) {
      throw new IllegalStateException(kind + " needs an application id");
    }
    return applicationId;
  }

  /**
   * How far a task is.
   *
   * @param cursor null before the first step
   */
  public record Progress(@Nullable String cursor, ObjectNode data, boolean done) {}
}
