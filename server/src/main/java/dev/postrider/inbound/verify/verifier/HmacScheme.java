package dev.postrider.inbound.verify.verifier;

import dev.postrider.inbound.verify.verifier.Freshness.Unit;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of an HMAC scheme: where its signature and timestamp are, and what is signed.
 *
 * @param prefix the text before each signature, such as {@code sha256=}
 * @param separator between several entries of the header; null if it contains only one signature
 * @param field the name before {@code =} that marks an entry as a signature; null if each entry is
 * @param time where the signed timestamp is; null if there is none
 * @param url replaces the URL of the request up to the query; null to take the request's
 */
public record HmacScheme(
    Algorithm algorithm,
    Encoding encoding,
    KeyForm keyForm,
    String header,
    String prefix,
    @Nullable String separator,
    @Nullable String field,
    @Nullable SignedTime time,
    SignedText text,
    @Nullable String url) {

  /**
   * Where the signed timestamp is: in a header, or in an entry of the signature header. Exactly one
   * is set.
   */
  public record SignedTime(@Nullable String header, @Nullable String field, Freshness freshness) {}

  public enum Algorithm {
    SHA1("HmacSHA1"),
    SHA256("HmacSHA256"),
    SHA384("HmacSHA384"),
    SHA512("HmacSHA512");

    private final String javaName;

    Algorithm(String javaName) {
      this.javaName = javaName;
    }

    String optionName() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** The MAC of what is fed into the consumer. */
    public byte[] mac(byte[] key, Consumer<Consumer<byte[]>> feed) {
      try {
        Mac mac = Mac.getInstance(javaName);
        mac.init(new SecretKeySpec(key, javaName));
        feed.accept(mac::update);
        return mac.doFinal();
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("this Java runtime does not support " + javaName, e);
      }
    }
  }

  public enum Encoding {
    HEX,
    BASE64,
    BASE64URL;

    /** Null if it is not in this encoding. */
    public byte @Nullable [] decode(String text) {
      try {
        return switch (this) {
          case HEX -> HexFormat.of().parseHex(text);
          case BASE64 -> Base64.getDecoder().decode(text);
          case BASE64URL -> Base64.getUrlDecoder().decode(text);
        };
      } catch (IllegalArgumentException _) {
        return null;
      }
    }
  }

  /** How the text of the secret becomes the key. */
  public enum KeyForm {
    TEXT,
    HEX,
    BASE64;

    public byte[] key(SourceSecret secret) {
      byte[] key =
          switch (this) {
            case TEXT -> secret.bytes();
            case HEX -> Encoding.HEX.decode(secret.text());
            case BASE64 -> Encoding.BASE64.decode(secret.text());
          };
      if (key == null || key.length == 0) {
        throw new IllegalArgumentException(
            "secret: must be encoded in " + name().toLowerCase(Locale.ROOT));
      }
      return key;
    }
  }

  /** SHA-256 of the body in hex; the rest is set by the methods below. */
  public static HmacScheme hex(String header) {
    return new HmacScheme(
        Algorithm.SHA256,
        Encoding.HEX,
        KeyForm.TEXT,
        header,
        "",
        null,
        null,
        null,
        SignedText.parse("{body}"),
        null);
  }

  public static HmacScheme base64(String header) {
    return hex(header).encodedAs(Encoding.BASE64);
  }

  public HmacScheme by(Algorithm other) {
    return new HmacScheme(
        other, encoding, keyForm, header, prefix, separator, field, time, text, url);
  }

  public HmacScheme encodedAs(Encoding other) {
    return new HmacScheme(
        algorithm, other, keyForm, header, prefix, separator, field, time, text, url);
  }

  public HmacScheme prefixed(String other) {
    return new HmacScheme(
        algorithm, encoding, keyForm, header, other, separator, field, time, text, url);
  }

  /**
   * Entries separated by the separator; with a field, only {@code field=signature} entries count.
   */
  public HmacScheme listed(String separatedBy, @Nullable String named) {
    return new HmacScheme(
        algorithm, encoding, keyForm, header, prefix, separatedBy, named, time, text, url);
  }

  public HmacScheme timed(String timeHeader, Freshness freshness, String template) {
    return timed(new SignedTime(timeHeader, null, freshness), template);
  }

  public HmacScheme timed(SignedTime place, String template) {
    return new HmacScheme(
        algorithm,
        encoding,
        keyForm,
        header,
        prefix,
        separator,
        field,
        place,
        SignedText.parse(template),
        url);
  }

  public HmacScheme signing(String template, @Nullable String publicUrl) {
    return new HmacScheme(
        algorithm,
        encoding,
        keyForm,
        header,
        prefix,
        separator,
        field,
        time,
        SignedText.parse(template),
        publicUrl);
  }

  /** From the options of the generic scheme; all of them can be given. */
  public static HmacScheme fromOptions(SchemeOptions options) {
    SignedTime time = timeFromOptions(options);
    String template = options.text("template", time == null ? "{body}" : "{timestamp}.{body}");
    SignedText text = SignedText.parse(template);
    if (text.uses("timestamp") != (time != null)) {
      throw SchemeOptions.refused(
          "template",
          time == null
              ? "uses {timestamp}; set timestamp_header or timestamp_field to where the timestamp is"
              : "must contain {timestamp}, because a timestamp that is not signed does not protect"
                  + " against replay");
    }
    return new HmacScheme(
        Algorithm.valueOf(upper(options, "algorithm", "sha256", Algorithm.values())),
        Encoding.valueOf(upper(options, "encoding", "hex", Encoding.values())),
        KeyForm.valueOf(upper(options, "secret_encoding", "text", KeyForm.values())),
        options.text("header", "X-Webhook-Signature"),
        options.text("prefix", ""),
        separator(options),
        options.find("signature_field"),
        time,
        text,
        PublicUrl.check(options.find("url")));
  }

  private static @Nullable String separator(SchemeOptions options) {
    String separator = options.find("separator");
    boolean fields =
        options.find("signature_field") != null || options.find("timestamp_field") != null;
    return separator == null && fields ? "," : separator;
  }

  private static @Nullable SignedTime timeFromOptions(SchemeOptions options) {
    String header = options.find("timestamp_header");
    String field = options.find("timestamp_field");
    if (header == null && field == null) {
      return null;
    }
    if (header != null && field != null) {
      throw SchemeOptions.refused(
          "timestamp_field", "and timestamp_header are mutually exclusive; remove one of them");
    }
    Unit unit =
        switch (options.choice("timestamp_unit", "s", List.of("s", "ms", "iso"))) {
          case "ms" -> Unit.MILLISECONDS;
          case "iso" -> Unit.ISO_8601;
          default -> Unit.SECONDS;
        };
    return new SignedTime(
        header, field, new Freshness(unit, options.tolerance(Freshness.FIVE_MINUTES)));
  }

  private static String upper(
      SchemeOptions options, String name, String byDefault, Enum<?>[] known) {
    List<String> names = Arrays.stream(known).map(e -> e.name().toLowerCase(Locale.ROOT)).toList();
    return options.choice(name, byDefault, names).toUpperCase(Locale.ROOT);
  }

  /** Whether the two are equal, in constant time. */
  public static boolean same(byte[] one, byte[] other) {
    return MessageDigest.isEqual(one, other);
  }
}
