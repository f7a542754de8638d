package dev.postrider.tenant;

import dev.postrider.event.Event;
import dev.postrider.id.ApplicationId;
import org.jspecify.annotations.Nullable;

/**
 * Applications have data keys of their own from now on, but some of their secrets are sealed with
 * that of the environment. Published within the transaction.
 *
 * @param applicationId null for all applications of the environment
 */
public record OwnDataKeyChosen(String environmentId, @Nullable ApplicationId applicationId)
    implements Event {}
