/**
 * Master keys that a key management service keeps: AWS KMS, Google Cloud KMS and the transit engine
 * of Vault, each spoken to over plain HTTPS and JSON. A data key goes there to be wrapped and comes
 * back to be unwrapped; the master key itself never leaves the service.
 *
 * <p>What the service calls a wrong ciphertext is an {@link javax.crypto.AEADBadTagException} and
 * final; all else (no answer, no permission, too many calls) heals by waiting.
 */
@NullMarked
package dev.postrider.crypto.kms;

import org.jspecify.annotations.NullMarked;
