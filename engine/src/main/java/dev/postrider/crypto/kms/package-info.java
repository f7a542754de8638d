/**
 * Master keys that a key management service keeps: AWS KMS, Google Cloud KMS and the transit engine
 * of Vault, each called over plain HTTPS and JSON. The service encrypts and decrypts data keys; the
 * master key itself never leaves the service.
 *
 * <p>{@link dev.postrider.crypto.kms.AwsSignature} also signs requests to S3.
 *
 * <p>An invalid ciphertext is an {@link javax.crypto.AEADBadTagException} and permanent; all other
 * errors (no response, no permission, throttling) are temporary.
 */
@NullMarked
package dev.postrider.crypto.kms;

import org.jspecify.annotations.NullMarked;
