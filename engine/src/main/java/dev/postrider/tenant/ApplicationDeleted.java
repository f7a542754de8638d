package dev.postrider.tenant;

import dev.postrider.event.Event;
import dev.postrider.id.EndpointId;
import java.util.List;

/**
 * An application is being deleted; published within the transaction, while its rows can still be
 * read. {@link ApplicationChanged} follows after the commit.
 *
 * @param endpoints the endpoints that are deleted with it
 */
public record ApplicationDeleted(Application application, List<EndpointId> endpoints)
    implements Event {}
