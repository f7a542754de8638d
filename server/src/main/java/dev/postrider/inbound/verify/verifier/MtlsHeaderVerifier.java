package dev.postrider.inbound.verify.verifier;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.net.Cidr;
import java.io.ByteArrayInputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the client certificate that a TLS proxy passes in a header. Any client can send a
 * header, so only connections from the configured proxies are accepted. The secrets are the allowed
 * certificates: SHA-256 fingerprints, or the whole value for the format {@code text}.
 */
public record MtlsHeaderVerifier(
    String header,
    Format format,
    @Nullable String verifyHeader,
    String verifyValue,
    List<Cidr> proxies)
    implements Verifier {
  static final int MAX_CHARACTERS = 32_768;

  enum Format {
    /** The value as it is, such as a subject name. */
    TEXT,
    /** A SHA-256 fingerprint in hex, with or without colons. */
    FINGERPRINT,
    /** The certificate: PEM with percent escapes, or base64 of DER. */
    CERTIFICATE,
    /** Envoy's {@code X-Forwarded-Client-Cert}; its last element's {@code Hash}. */
    XFCC
  }

  public static MtlsHeaderVerifier fromOptions(SchemeOptions options) {
    options.required("proxies", "10.0.0.0/8,127.0.0.1");
    return new MtlsHeaderVerifier(
        options.required("header", "X-SSL-Client-Fingerprint"),
        Format.valueOf(
            options
                .choice(
                    "format", "fingerprint", List.of("text", "fingerprint", "certificate", "xfcc"))
                .toUpperCase(Locale.ROOT)),
        options.find("verify_header"),
        options.text("verify_value", "SUCCESS"),
        options.list("proxies").stream().map(MtlsHeaderVerifier::network).toList());
  }

  private static Cidr network(String text) {
    try {
      return Cidr.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("option proxies: " + e.getMessage(), e);
    }
  }

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    if (!Cidr.anyContains(proxies, request.remoteAddress())) {
      return Verification.untrusted(
          "the connection came from "
              + request.remoteAddress()
              + ", which is not listed in the option proxies");
    }
    if (verifyHeader != null) {
      String verdict = request.header(verifyHeader);
      if (verdict == null) {
        return Verification.missing(verifyHeader);
      }
      if (!verdict.equals(verifyValue)) {
        return Verification.untrusted(verifyHeader + " is not " + verifyValue);
      }
    }
    String value = request.header(header);
    if (value == null || value.isEmpty()) {
      return Verification.missing(header);
    }
    return value.length() > MAX_CHARACTERS
        ? Verification.malformed(header + " is too long")
        : identify(value, secrets, nowMs);
  }

  private Verification identify(String value, List<SourceSecret> secrets, long nowMs) {
    String identity =
        switch (format) {
          case TEXT -> value;
          case FINGERPRINT -> fingerprint(value);
          case CERTIFICATE -> ofCertificate(value, nowMs);
          case XFCC -> ofXfcc(value);
        };
    if (identity == null) {
      return Verification.malformed(header + " does not contain a valid client certificate");
    }
    List<SourceSecret> allowed =
        format == Format.TEXT
            ? secrets
            : secrets.stream().map(s -> SourceSecret.of(normal(s.text()))).toList();
    return Tokens.compare(header, identity, allowed);
  }

  private static String normal(String fingerprint) {
    String plain = fingerprint.replace(":", "").toLowerCase(Locale.ROOT);
    return plain.startsWith("sha256=") ? plain.substring("sha256=".length()) : plain;
  }

  private static @Nullable String fingerprint(String value) {
    String normal = normal(value);
    return normal.matches("[0-9a-f]{64}") ? normal : null;
  }

  private static @Nullable String ofCertificate(String value, long nowMs) {
    try {
      String text =
          value.indexOf('%') >= 0
              ? URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8)
              : value;
      byte[] bytes =
          text.startsWith("-----BEGIN")
              ? text.getBytes(StandardCharsets.US_ASCII)
              : HmacScheme.Encoding.BASE64.decode(text);
      if (bytes == null
          || !(CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(bytes))
              instanceof X509Certificate certificate)) {
        return null;
      }
      certificate.checkValidity(Date.from(Instant.ofEpochMilli(nowMs)));
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
      return HexFormat.of().formatHex(digest);
    } catch (GeneralSecurityException | IllegalArgumentException _) {
      return null;
    }
  }

  /**
   * The last element was added by the nearest proxy. Quoted values may contain commas and
   * semicolons chosen by the client, so quotes are parsed.
   */
  private static @Nullable String ofXfcc(String value) {
    String hash = null;
    boolean quoted = false;
    int from = 0;
    for (int i = 0; i <= value.length(); i++) {
      char c = i == value.length() ? ',' : value.charAt(i);
      if (i < value.length() && quoted && c == '\\') {
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if ((c == ';' || c == ',') && (!quoted || i == value.length())) {
        String pair = value.substring(from, i).strip();
        hash = pair.regionMatches(true, 0, "Hash=", 0, 5) ? pair.substring(5) : hash;
        hash = c == ',' && i < value.length() ? null : hash;
        from = i + 1;
      }
    }
    return hash == null ? null : fingerprint(hash);
  }

  @Override
  public void checkSecret(SourceSecret secret) {
    if (format != Format.TEXT && fingerprint(secret.text()) == null) {
      throw new IllegalArgumentException(
          "secret: must be the SHA-256 fingerprint of an allowed client certificate, 64 hex digits");
    }
  }
}
