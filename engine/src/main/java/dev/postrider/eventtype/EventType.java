package dev.postrider.eventtype;

import dev.postrider.id.Id;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A name that messages carry. */
public record EventType(
    Id id, Owner owner, String name, Spec spec, long createdAtMs, long updatedAtMs) {

  /**
   * Whose event type it is. An application's own shadows the environment's of the same name.
   *
   * @param applicationId {@link Id#ZERO} for the whole environment
   */
  public record Owner(String environmentId, Id applicationId) {
    public static Owner environment(String environmentId) {
      return new Owner(environmentId, Id.ZERO);
    }

    /** Whose share of the evaluation threads its schemas use. */
    public Object share() {
      return applicationId.equals(Id.ZERO) ? environmentId : applicationId;
    }
  }

  /**
   * What a caller decides about it.
   *
   * @param archived hidden from lists; sends of it still pass unless the environment is strict
   * @param schemas a JSON object of schemas by version, as text; the highest version counts
   * @param schemaCheck what becomes of a message that does not fit
   * @param retryPolicy the schedule of failed deliveries of this type; null means the next level's
   */
  public record Spec(
      String description,
      boolean archived,
      boolean deprecated,
      List<String> featureFlags,
      @Nullable String groupName,
      @Nullable String schemas,
      SchemaCheck schemaCheck,
      @Nullable String retryPolicy) {

    public static Spec of(String description) {
      return new Spec(description, false, false, List.of(), null, null, SchemaCheck.OFF, null);
    }

    public Spec withArchived(boolean archived) {
      return new Spec(
          description,
          archived,
          deprecated,
          featureFlags,
          groupName,
          schemas,
          schemaCheck,
          retryPolicy);
    }

    public Spec withSchemas(@Nullable String schemas) {
      return new Spec(
          description,
          archived,
          deprecated,
          featureFlags,
          groupName,
          schemas,
          schemaCheck,
          retryPolicy);
    }

    /** The fields that only Postrider has, as another one has them. */
    public Spec withOwnFields(SchemaCheck schemaCheck, @Nullable String retryPolicy) {
      return new Spec(
          description,
          archived,
          deprecated,
          featureFlags,
          groupName,
          schemas,
          schemaCheck,
          retryPolicy);
    }
  }
}
