package dev.postrider.inbound.verify.verifier;

import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.verifier.HmacScheme.SignedTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Verifies with any scheme that {@link HmacScheme} can describe. */
public final class HmacVerifier implements Verifier {
  private final String name;
  private final HmacScheme scheme;

  public HmacVerifier(String name, HmacScheme scheme) {
    this.name = name;
    this.scheme = scheme;
  }

  @Override
  public Verification verify(InboundRequest request, List<SourceSecret> secrets, long nowMs) {
    String header = request.header(scheme.header());
    if (header == null) {
      return Verification.missing(scheme.header());
    }
    List<String> entries = entries(header);
    SignedTime time = scheme.time();
    String timestamp = time == null ? "" : timestamp(time, request, entries);
    if (timestamp == null) {
      return Verification.missing(timeName(time));
    }
    Verification stale =
        time == null ? null : time.freshness().check(timeName(time), timestamp, nowMs);
    if (stale != null) {
      return stale;
    }
    String unsigned = scheme.text().missingHeader(request);
    return unsigned == null
        ? compare(signatures(entries), request, timestamp, secrets)
        : Verification.missing(unsigned);
  }

  private Verification compare(
      List<byte[]> signatures,
      InboundRequest request,
      String timestamp,
      List<SourceSecret> secrets) {
    if (signatures.isEmpty()) {
      return Verification.malformed(
          scheme.header() + " does not contain a signature in the format that " + name + " uses");
    }
    var values = new SignedText.Values(request, PublicUrl.of(request, scheme.url()), timestamp);
    for (int i = 0; i < secrets.size(); i++) {
      byte[] key = scheme.keyForm().key(secrets.get(i));
      byte[] expected = scheme.algorithm().mac(key, sink -> scheme.text().feed(values, sink));
      for (byte[] signature : signatures) {
        if (HmacScheme.same(expected, signature)) {
          return new Verification.Valid(
              name + " " + scheme.algorithm().optionName() + ", secret " + (i + 1));
        }
      }
    }
    return Verification.mismatch(scheme.header());
  }

  private List<String> entries(String header) {
    String separator = scheme.separator();
    if (separator == null) {
      return List.of(header);
    }
    List<String> entries = new ArrayList<>();
    int from = 0;
    while (entries.size() < MAX_SIGNATURES && from <= header.length()) {
      int at = header.indexOf(separator, from);
      int to = at < 0 ? header.length() : at;
      entries.add(header.substring(from, to).strip());
      from = to + separator.length();
    }
    return entries;
  }

  private static @Nullable String timestamp(
      SignedTime time, InboundRequest request, List<String> entries) {
    String field = time.field();
    if (field == null) {
      return time.header() == null ? null : request.header(time.header());
    }
    for (String entry : entries) {
      String value = valueOf(entry, field);
      if (value != null) {
        return value;
      }
    }
    return null;
  }

  private List<byte[]> signatures(List<String> entries) {
    List<byte[]> signatures = new ArrayList<>();
    for (String entry : entries) {
      String field = scheme.field();
      String value = field == null ? entry : valueOf(entry, field);
      if (value != null && value.startsWith(scheme.prefix())) {
        byte[] signature = scheme.encoding().decode(value.substring(scheme.prefix().length()));
        if (signature != null && signature.length > 0) {
          signatures.add(signature);
        }
      }
    }
    return signatures;
  }

  private static @Nullable String valueOf(String entry, String field) {
    boolean named = entry.startsWith(field) && entry.startsWith("=", field.length());
    return named ? entry.substring(field.length() + 1) : null;
  }

  private String timeName(@Nullable SignedTime time) {
    if (time != null && time.header() != null) {
      return time.header();
    }
    return "the timestamp in " + scheme.header();
  }

  @Override
  public void checkSecret(SourceSecret secret) {
    scheme.keyForm().key(secret);
  }
}
