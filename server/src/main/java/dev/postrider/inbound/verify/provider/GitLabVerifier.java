package dev.postrider.inbound.verify.provider;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.StandardWebhooksVerifier;
import dev.postrider.inbound.verify.verifier.Tokens;
import dev.postrider.inbound.verify.verifier.Verification;
import dev.postrider.inbound.verify.verifier.Verifier;
import dev.postrider.signature.HmacKey;
import java.util.List;

/**
 * Verifies requests of GitLab, which sends the secret token itself in a header or, with a signing
 * token ({@code whsec_…}), signs as Standard Webhooks. If a signing token is configured, the header
 * with the secret token is not accepted.
 */
public final class GitLabVerifier implements Verifier {
  private static final String HEADER = "X-Gitlab-Token";

  private final StandardWebhooksVerifier signed;

  public GitLabVerifier(StandardWebhooksVerifier signed) {
    this.signed = signed;
  }

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    List<SourceSecret> signing = secrets.stream().filter(GitLabVerifier::signs).toList();
    List<SourceSecret> plain = secrets.stream().filter(secret -> !signs(secret)).toList();
    Verification bySignature =
        signing.isEmpty() ? Verification.missing(HEADER) : signed.verify(request, signing, nowMs);
    if (plain.isEmpty() || bySignature instanceof Verification.Valid) {
      return bySignature;
    }
    return Tokens.compare(HEADER, request.header(HEADER), plain);
  }

  @Override
  public void checkSecret(SourceSecret secret) {
    if (signs(secret)) {
      signed.checkSecret(secret);
    }
  }

  private static boolean signs(SourceSecret secret) {
    return secret.text().startsWith(HmacKey.PREFIX);
  }
}
