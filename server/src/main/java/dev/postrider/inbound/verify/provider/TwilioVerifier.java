package dev.postrider.inbound.verify.provider;

import dev.postrider.inbound.request.FormFields;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.request.Sha256;
import dev.postrider.inbound.verify.verifier.HmacScheme;
import dev.postrider.inbound.verify.verifier.HmacScheme.Algorithm;
import dev.postrider.inbound.verify.verifier.HmacScheme.Encoding;
import dev.postrider.inbound.verify.verifier.PublicUrl;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verification;
import dev.postrider.inbound.verify.verifier.Verifier;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Verifies requests of Twilio, which signs the URL followed by the form parameters, sorted by name,
 * each name directly followed by its value. If the body is not a form, only the URL is signed, and
 * its query parameter {@code bodySHA256} contains the hash of the body.
 */
public final class TwilioVerifier implements Verifier {
  private static final String HEADER = "X-Twilio-Signature";
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String BODY_HASH = "bodySHA256";

  private final @Nullable String configuredUrl;

  public TwilioVerifier(@Nullable String configuredUrl) {
    this.configuredUrl = configuredUrl;
  }

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    String header = request.header(HEADER);
    if (header == null) {
      return Verification.missing(HEADER);
    }
    byte[] signature = Encoding.BASE64.decode(header);
    if (signature == null) {
      return Verification.malformed(HEADER + " is not base64");
    }
    if (request.mediaType().equals(FORM)) {
      FormFields form = FormFields.parse(new String(request.body(), StandardCharsets.UTF_8));
      return form == null
          ? Verification.malformed("the body is not a form of at most 1000 fields")
          : compare(request, parameters(form), signature, secrets);
    }
    Verification body = checkBody(request);
    return body == null ? compare(request, "", signature, secrets) : body;
  }

  /** Null when the body is empty or covered by the hash in the URL, which is itself signed. */
  private static @Nullable Verification checkBody(InboundRequest request) {
    String hash = request.queryParameter(BODY_HASH);
    if (hash == null) {
      return request.body().length == 0
          ? null
          : Verification.malformed(
              "the body is neither a form nor covered by the query parameter " + BODY_HASH);
    }
    byte[] claimed = Encoding.HEX.decode(hash);
    return claimed != null && HmacScheme.same(claimed, Sha256.of(request.body()))
        ? null
        : Verification.mismatch(BODY_HASH);
  }

  private Verification compare(
      InboundRequest request, String parameters, byte[] signature, List<SourceSecret> secrets) {
    for (String url : spellings(PublicUrl.of(request, configuredUrl))) {
      byte[] signed = (url + parameters).getBytes(StandardCharsets.UTF_8);
      for (SourceSecret secret : secrets) {
        byte[] expected = Algorithm.SHA1.mac(secret.bytes(), sink -> sink.accept(signed));
        if (HmacScheme.same(expected, signature)) {
          return new Verification.Valid("twilio sha1 over " + url.length() + " characters of URL");
        }
      }
    }
    return Verification.mismatch(HEADER);
  }

  /** A value that comes twice under one name counts once; several are sorted. */
  private static String parameters(FormFields form) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, List<String>> field : form.byName().entrySet()) {
      for (String value : new TreeSet<>(field.getValue())) {
        text.append(field.getKey()).append(value);
      }
    }
    return text.toString();
  }

  /** Twilio's products differ in whether the port is part of what they sign. */
  private static Set<String> spellings(String url) {
    Set<String> all = new LinkedHashSet<>(List.of(url));
    int host = url.indexOf("://") + 3;
    int end = host;
    while (end < url.length() && "/?#".indexOf(url.charAt(end)) < 0) {
      end++;
    }
    int name = Math.max(host, url.lastIndexOf('@', end) + 1); // behind user:password@
    int colon = url.indexOf(':', Math.max(name, url.lastIndexOf(']', end)));
    if (colon >= 0 && colon < end) {
      all.add(url.substring(0, colon) + url.substring(end));
    } else {
      String port = url.startsWith("https:") ? ":443" : ":80";
      all.add(url.substring(0, end) + port + url.substring(end));
    }
    return all;
  }
}
