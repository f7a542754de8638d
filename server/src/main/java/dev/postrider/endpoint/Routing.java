package dev.postrider.endpoint;

import dev.postrider.id.Id;
import dev.postrider.tenant.ApplicationSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the accepting path needs of one application, read in one snapshot.
 *
 * @param version the application's routing version in that snapshot; any change of the application
 *     or of an endpoint bumps it
 * @param settings the application's own settings
 * @param routes its live routes
 * @param exits its endpoints that are not deleted, disabled ones included
 */
public record Routing(
    Id applicationId,
    String environmentId,
    @Nullable String uid,
    int version,
    boolean active,
    @Nullable Integer throttleRate,
    ApplicationSettings settings,
    List<Exit> exits,
    AgentRoutes routes) {

  /** The route of a message that came by this source; null if there is none. */
  public @Nullable AgentRoute route(@Nullable String source, String eventType) {
    String from = source == null ? uid : source;
    return routes.isEmpty() || from == null ? null : routes.of(from, eventType);
  }
}
