package dev.postrider.task;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.TaskId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A task as stored.
 *
 * @param input the input of the caller; never changes
 * @param progress {@code cursor}, where the next step starts, and {@code data}, which callers see
 * @param leaseVersion incremented by each lease
 */
public record Task(
    TaskId id,
    String environmentId,
    @Nullable ApplicationId applicationId,
    TaskKind kind,
    TaskStatus status,
    ObjectNode input,
    Progress progress,
    int leaseVersion,
    Instant updatedAt) {

  /** The application of a task that belongs to one. */
  ApplicationId application() {
    if (applicationId == null) {
      throw new IllegalStateException(kind + " needs an application id");
    }
    return applicationId;
  }

  /**
   * The progress of a task.
   *
   * @param cursor null before the first step
   */
  public record Progress(@Nullable String cursor, ObjectNode data, boolean done) {}
}
