/**
 * The public API of the engine: accepts messages and delivers them to the endpoints of an
 * application, with retries, signatures, circuit breakers and dead letters.
 *
 * <pre>{@code
 * try (Engine engine = Engine.builder().sqlite(Path.of("data")).build()) {
 *   engine.start();
 *   ApplicationId shop = engine.applications().create("Shop");
 *   engine.endpoints().create(shop, NewEndpoint.of(URI.create("https://example.com/hook")));
 *   engine.send(OutgoingMessage.of(shop, "order.paid", "{\"order\":17}"));
 * }
 * }</pre>
 *
 * <p>{@code send} returns after the commit. From then on the message is delivered at least once,
 * also after a crash. All methods may be called by any thread.
 */
@NullMarked
package dev.postrider.engine;

import org.jspecify.annotations.NullMarked;
