package dev.postrider.inbound.verify.verifier;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.verifier.Verification.Invalid;
import dev.postrider.inbound.verify.verifier.Verification.Reason;
import dev.postrider.jwt.Jwt;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Verifies a signed JWT. Only the listed algorithms are accepted. The list contains either only
 * shared-secret or only public-key algorithms, so that a public key is never used as a shared
 * secret. The JWT does not protect the body.
 */
public record JwtVerifier(
    List<String> algorithms,
    @Nullable String header,
    @Nullable String issuer,
    @Nullable String audience,
    Duration leeway,
    boolean requireExpiry)
    implements Verifier {
  public static JwtVerifier fromOptions(SchemeOptions options) {
    options.required("algorithms", "RS256,ES256");
    List<String> algorithms = options.list("algorithms");
    boolean shared = Jwt.SHARED.containsAll(algorithms);
    if (algorithms.isEmpty() || (!shared && !Jwt.PUBLIC.containsAll(algorithms))) {
      throw SchemeOptions.refused(
          "algorithms",
          "must be either of HS256, HS384, HS512 or of RS256, RS384, RS512, ES256, ES384, ES512,"
              + " not both");
    }
    return new JwtVerifier(
        algorithms,
        options.find("header"),
        options.find("issuer"),
        options.find("audience"),
        options.duration("leeway", Duration.ofSeconds(60)),
        options.flag("require_exp", true));
  }

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    String token =
        header == null ? Tokens.authorization(request, "bearer") : request.header(header);
    if (token == null) {
      return Verification.missing(header == null ? "Authorization: Bearer" : header);
    }
    Jwt jwt = Jwt.parse(token);
    if (jwt == null) {
      return Verification.malformed(
          "the token is not a valid JWT: it must have three base64url parts without padding, at most"
              + " 16,384 characters, no duplicate field and no crit in its header");
    }
    if (!algorithms.contains(jwt.algorithm())) {
      return Verification.untrusted("the token's algorithm is not one of " + algorithms);
    }
    for (SourceSecret secret : secrets) {
      if (isSigned(jwt, secret)) {
        return checkClaims(jwt, nowMs);
      }
    }
    return Verification.mismatch("the token's signature");
  }

  private static boolean isSigned(Jwt jwt, SourceSecret secret) {
    return Jwt.SHARED.contains(jwt.algorithm())
        ? jwt.isSignedWith(secret.bytes())
        : jwt.isSignedWith(PemKeys.publicKey(secret.text()));
  }

  private Verification checkClaims(Jwt jwt, long nowMs) {
    return switch (jwt.validity(nowMs, leeway, requireExpiry)) {
      case MALFORMED ->
          Verification.malformed("the token's exp is missing, or exp or nbf is not a number");
      case EXPIRED -> new Invalid(Reason.STALE, "the token has expired");
      case NOT_YET -> new Invalid(Reason.STALE, "the token is not valid yet");
      case VALID -> checkParties(jwt);
    };
  }

  private Verification checkParties(Jwt jwt) {
    if (issuer != null && !issuer.equals(jwt.text("iss"))) {
      return Verification.untrusted("the token's iss is not the configured issuer");
    }
    if (audience != null && !jwt.texts("aud").contains(audience)) {
      return Verification.untrusted("the token's aud is not the configured audience");
    }
    return new Verification.Valid("jwt " + jwt.algorithm());
  }

  @Override
  public void checkSecret(SourceSecret secret) {
    if (!Jwt.SHARED.containsAll(algorithms)) {
      PemKeys.publicKey(secret.text());
    } else if (secret.text().startsWith("-----BEGIN")) {
      throw new IllegalArgumentException(
          "secret: this is a PEM key, but HS algorithms need a shared secret; did you mean RS256?");
    }
  }
}
