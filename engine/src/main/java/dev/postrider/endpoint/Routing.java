package dev.postrider.endpoint;

import dev.postrider.id.Id;
import dev.postrider.tenant.ApplicationSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The routing of one application, read in one snapshot: its settings, its endpoints and queues, and
 * its agent routes.
 *
 * @param version the application's routing version in that snapshot; any change of the application
 *     or of an endpoint bumps it
 * @param settings the application's own settings
 * @param routes its live routes
 * @param targets its endpoints that are not deleted, disabled ones included
 * @param triggers the workflows that its messages start
 */
public record Routing(
    Id applicationId,
    String environmentId,
    @Nullable String uid,
    int version,
    boolean active,
    @Nullable Integer throttleRate,
    ApplicationSettings settings,
    List<RouteTarget> targets,
    AgentRoutes routes,
    List<WorkflowTrigger> triggers) {

  /**
   * A workflow that messages start.
   *
   * @param id the row of workflow_triggers
   */
  public record WorkflowTrigger(Id id, SubscriptionSet subscriptions) {}

  /** Reads routings. */
  @FunctionalInterface
  public interface Source {
    /**
     * As it is in the database now, never from a cache; null if there is no such application.
     *
     * @param application its id or uid
     */
    @Nullable Routing current(String environmentId, String application);
  }

  /** The routes of messages of that type; the application's uid is their source. */
  public AgentRoutes.OfMessage routesOf(String eventType) {
    return routes.of(uid, eventType);
  }
}
