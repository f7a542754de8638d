/**
 * The parts of an engine that the server uses. {@link dev.postrider.engine.services.EngineServices}
 * has one record for each concept, such as {@code EndpointServices} with the store of endpoints and
 * what belongs to it; {@code engine.wiring} fills them, and the composition root of the server
 * passes each area of the API what it needs.
 *
 * <p>Exported to the server only. A program that embeds the engine uses {@code Engine} and its
 * facades instead. What works without a running engine is here too: {@code OfflineDatabase}, {@code
 * OfflineMasterKey} and {@code SqliteBackup} for commands.
 */
@NullMarked
package dev.postrider.engine.services;

import org.jspecify.annotations.NullMarked;
