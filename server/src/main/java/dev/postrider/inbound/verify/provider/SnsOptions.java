package dev.postrider.inbound.verify.provider;

import dev.postrider.inbound.verify.verifier.Freshness;
import dev.postrider.inbound.verify.verifier.Freshness.Unit;
import dev.postrider.inbound.verify.verifier.SchemeOptions;
import dev.postrider.inbound.verify.verifier.Verifier;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The options of the scheme for AWS SNS. */
public final class SnsOptions {
  public static final String SCHEME = "aws-sns";
  public static final Set<String> NAMES =
      Set.of("topics", "tolerance", "unwrap", SnsOptions.SKIP_VERIFY, SnsOptions.ENDPOINT);

  private static final String SKIP_VERIFY = "skip_verify";
  private static final String ENDPOINT = "endpoint";

  /** SNS retries for up to an hour and keeps the time of publication. */
  private static final Duration TOLERANCE = Duration.ofMinutes(75);

  private SnsOptions() {}

  public static Verifier verifier(SchemeOptions options, SnsCertificates certificates) {
    options.required("topics", "arn:aws:sns:eu-west-1:123456789012:orders (or * for any)");
    List<String> topics = options.list("topics");
    Freshness freshness = new Freshness(Unit.ISO_8601, options.tolerance(TOLERANCE));
    if (skipsVerification(options)) {
      return new SnsStandInVerifier(topics);
    }
    if (options.find(ENDPOINT) != null) {
      throw SchemeOptions.refused(ENDPOINT, "is only for stand-ins; add skip_verify, or remove it");
    }
    return new SnsVerifier(certificates, topics, freshness);
  }

  /** Whether a local stand-in sends, whose signatures are not verified. */
  public static boolean skipsVerification(SchemeOptions options) {
    return options.flag(SKIP_VERIFY, false);
  }

  /** The same for the options of a source that were checked. */
  public static boolean skipsVerification(String scheme, Map<String, String> options) {
    return scheme.equals(SCHEME) && "true".equals(options.get(SKIP_VERIFY));
  }

  /** Where the stand-in is; null if the source does not say. */
  public static @Nullable URI standIn(SchemeOptions options) {
    String url = options.find(ENDPOINT);
    try {
      return url == null ? null : SnsUrls.standIn(url);
    } catch (IllegalArgumentException e) {
      throw SchemeOptions.refused(ENDPOINT, String.valueOf(e.getMessage()));
    }
  }
}
