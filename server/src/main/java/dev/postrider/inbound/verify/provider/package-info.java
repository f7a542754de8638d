/**
 * Verifiers of providers whose rules no shared verifier can describe: a signature over selected
 * fields (SNS, Mailgun, Twilio, Adyen), a certificate that has to be fetched, a batch with a secret
 * in each item. {@code verify.Schemes} registers them next to the shared ones of {@code
 * verify.verifier}. The only network access is {@code CertificateFetcher}, for URLs that {@code
 * SnsUrls} allows.
 */
@NullMarked
package dev.postrider.inbound.verify.provider;

import org.jspecify.annotations.NullMarked;
