package dev.postrider.eventtype;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/** A name that messages carry. */
public record EventType(
    Id id, String environmentId, String name, Spec spec, long createdAtMs, long updatedAtMs) {

  /**
   * What a caller decides about it.
   *
   * @param archived hidden from lists; sends of it still pass
   * @param schemas a JSON object by version, as text
   * @param retryPolicy the schedule of failed deliveries of this type; null means the next level's
   */
  public record Spec(
      String description,
      boolean archived,
      boolean deprecated,
      @Nullable String featureFlag,
      @Nullable String schemas,
      @Nullable String retryPolicy) {

    public Spec withRetryPolicy(@Nullable String policy) {
      return new Spec(description, archived, deprecated, featureFlag, schemas, policy);
    }
  }
}
