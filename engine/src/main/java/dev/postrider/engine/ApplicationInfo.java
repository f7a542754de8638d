package dev.postrider.engine;

import dev.postrider.id.ApplicationId;
import java.util.Optional;

/**
 * A tenant: a customer whose endpoints receive messages.
 *
 * @param uid the id that the caller has chosen
 */
public record ApplicationInfo(ApplicationId id, Optional<String> uid, String name) {}
