/**
 * Secrets at rest. Each environment has data keys (AES-256-GCM); a data key is stored only wrapped
 * by the master key, which is stored nowhere in the database. What is sealed names its data key,
 * and is bound to its environment and to a context such as its row's id, so that it opens nowhere
 * else.
 *
 * <p>Rotating the master key re-wraps the data keys and touches no sealed secret; rotating a data
 * key only decides what is sealed from then on. A secret that does not open is {@link
 * dev.postrider.crypto.SecretUnreadable} and ends one delivery; a master key that cannot be asked
 * is {@link dev.postrider.crypto.MasterKeyUnavailable} and only makes deliveries wait.
 *
 * <p>Tink's primitives are used without its keysets, whose registration would cost a cold start
 * more than everything else here.
 */
@NullMarked
package dev.postrider.crypto;

import org.jspecify.annotations.NullMarked;
