package dev.postrider.engine;

import java.util.Optional;

/**
 * A tenant: a customer whose endpoints get messages.
 *
 * @param uid the caller's own name for it
 */
public record Application(ApplicationId id, Optional<String> uid, String name) {}
