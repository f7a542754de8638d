package dev.postrider.inbound;

import dev.postrider.inbound.HmacScheme.Algorithm;
import dev.postrider.inbound.HmacScheme.Encoding;
import dev.postrider.inbound.Verification.Invalid;
import dev.postrider.inbound.Verification.Reason;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A signed JWT. Only algorithms on the list count, and the list is either all shared secrets or all
 * public keys, so that no public key is ever taken for a secret. The body is not covered.
 */
record JwtVerifier(
    List<String> algorithms,
    @Nullable String header,
    @Nullable String issuer,
    @Nullable String audience,
    Duration leeway,
    boolean requireExpiry)
    implements Verifier {
  static final int MAX_CHARACTERS = 16_384;

  private static final Set<String> SHARED = Set.of("HS256", "HS384", "HS512");
  private static final Set<String> PUBLIC =
      Set.of("RS256", "RS384", "RS512", "ES256", "ES384", "ES512");

  static JwtVerifier fromOptions(SchemeOptions options) {
    options.required("algorithms", "RS256,ES256");
    List<String> algorithms = options.list("algorithms");
    boolean shared = SHARED.containsAll(algorithms);
    if (algorithms.isEmpty() || (!shared && !PUBLIC.containsAll(algorithms))) {
      throw SchemeOptions.refused(
          "algorithms",
          "must be either of HS256, HS384, HS512 or of RS256, RS384, RS512, ES256, ES384, ES512, not both");
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
    String[] parts = token.length() > MAX_CHARACTERS ? new String[0] : token.split("\\.", 4);
    JsonNode head = parts.length == 3 ? object(parts[0]) : null;
    JsonNode claims = parts.length == 3 ? object(parts[1]) : null;
    byte[] signature = parts.length == 3 ? Encoding.BASE64URL.decode(parts[2]) : null;
    if (head == null || claims == null || signature == null || head.has("crit")) {
      return Verification.malformed("the token is not a JWT of three parts");
    }
    String algorithm = BodyField.valueOrEmpty(head, "alg");
    if (!algorithms.contains(algorithm)) {
      return Verification.untrusted("the token's algorithm is not one of " + algorithms);
    }
    byte[] signed = (parts[0] + '.' + parts[1]).getBytes(StandardCharsets.US_ASCII);
    for (SourceSecret secret : secrets) {
      if (verifies(algorithm, secret, signed, signature)) {
        return checkClaims(claims, nowMs, algorithm);
      }
    }
    return Verification.mismatch("the token's signature");
  }

  private static @Nullable JsonNode object(String part) {
    byte[] json = Encoding.BASE64URL.decode(part);
    return json == null ? null : BodyField.strictObject(json);
  }

  private static boolean verifies(
      String algorithm, SourceSecret secret, byte[] signed, byte[] signature) {
    String hash = "SHA" + algorithm.substring(2);
    if (SHARED.contains(algorithm)) {
      byte[] expected = Algorithm.valueOf(hash).mac(secret.bytes(), sink -> sink.accept(signed));
      return HmacScheme.same(expected, signature);
    }
    PublicKey key = PemKeys.publicKey(secret.text());
    boolean elliptic = algorithm.startsWith("ES");
    if (!key.getAlgorithm().equals(elliptic ? "EC" : "RSA")) {
      return false;
    }
    try {
      Signature check =
          Signature.getInstance(hash + (elliptic ? "withECDSAinP1363Format" : "withRSA"));
      check.initVerify(key);
      check.update(signed);
      return check.verify(signature);
    } catch (SignatureException _) {
      return false; // not the shape of a signature at all
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot check with " + algorithm, e);
    }
  }

  private Verification checkClaims(JsonNode claims, long nowMs, String algorithm) {
    JsonNode exp = claims.get("exp");
    JsonNode nbf = claims.get("nbf");
    if ((exp == null && requireExpiry) || notNumber(exp) || notNumber(nbf)) {
      return Verification.malformed("the token's exp is missing, or exp or nbf is not a number");
    }
    double now = nowMs / 1000.0;
    if (exp != null && now >= exp.doubleValue() + leeway.toSeconds()) {
      return new Invalid(Reason.STALE, "the token has expired");
    }
    if (nbf != null && now < nbf.doubleValue() - leeway.toSeconds()) {
      return new Invalid(Reason.STALE, "the token is not valid yet");
    }
    if (issuer != null && !issuer.equals(BodyField.valueOrEmpty(claims, "iss"))) {
      return Verification.untrusted("the token's iss is not the configured issuer");
    }
    if (audience != null && !audiences(claims.get("aud")).contains(audience)) {
      return Verification.untrusted("the token's aud is not the configured audience");
    }
    return new Verification.Valid("jwt " + algorithm);
  }

  private static boolean notNumber(@Nullable JsonNode claim) {
    return claim != null && !claim.isNumber();
  }

  private static List<String> audiences(@Nullable JsonNode aud) {
    List<String> all = new ArrayList<>();
    if (aud != null && aud.isString()) {
      all.add(aud.stringValue());
    } else if (aud != null && aud.isArray()) {
      aud.forEach(one -> all.add(one.isString() ? one.stringValue() : ""));
    }
    return all;
  }

  @Override
  public void checkSecret(SourceSecret secret) {
    if (!SHARED.containsAll(algorithms)) {
      PemKeys.publicKey(secret.text());
    } else if (secret.text().startsWith("-----BEGIN")) {
      throw new IllegalArgumentException(
          "secret: this is a PEM key, but HS algorithms need a shared secret; did you mean RS256?");
    }
  }
}
