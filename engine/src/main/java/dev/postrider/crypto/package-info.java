/**
 * Secrets at rest. Each environment has data keys (AES-256-GCM); a data key is stored only
 * encrypted with the master key, which is not in the database. An encrypted secret contains the id
 * of its data key, and is bound to its environment and to a context such as the id of its row, so
 * that it cannot be decrypted elsewhere.
 *
 * <p>Rotating the master key re-encrypts the data keys and no secrets; rotating a data key affects
 * only secrets encrypted later. A secret that cannot be decrypted is {@link
 * dev.postrider.crypto.SecretUnreadable} and ends one delivery; a master key that is unavailable is
 * {@link dev.postrider.crypto.MasterKeyUnavailable} and only makes deliveries wait.
 *
 * <p>Tink's primitives are used without its keysets, whose registration would cost a cold start
 * more than everything else here.
 */
@NullMarked
package dev.postrider.crypto;

import org.jspecify.annotations.NullMarked;
