package dev.postrider.api.form;

import static java.util.Objects.requireNonNull;

import dev.postrider.delivery.RetryPolicy;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.Subscription;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.json.Json;
import dev.postrider.json.ObjectRule;
import dev.postrider.json.TextRule;
import dev.postrider.json.Times;
import dev.postrider.tenant.RetentionSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads request fields that several types of objects have, such as uid and metadata. */
public final class RequestForms {
  private RequestForms() {}

  /** Metadata with any values, as JSON. */
  public static String metadata(Fields fields) {
    String metadata = fields.json("metadata", EndpointFields.METADATA_RULE);
    return metadata == null ? ObjectRule.EMPTY : metadata;
  }

  /** Metadata whose values are texts. */
  public static Map<String, String> textMetadata(Fields fields) {
    Map<String, String> metadata =
        fields.textsByName(
            "metadata", Limits.METADATA_ENTRIES, Limits.METADATA_KEY, Limits.METADATA_VALUE);
    if (metadata == null) {
      return Map.of();
    }
    if (Json.write(metadata).getBytes(StandardCharsets.UTF_8).length > Limits.METADATA_BYTES) {
      fields.problem("metadata", "may have at most " + Limits.METADATA_BYTES + " bytes as JSON");
    }
    return metadata;
  }

  /** The throttle under either of its names; the newer one wins. */
  public static String throttleField(Fields fields) {
    return fields.either("throttleRate", "rateLimit");
  }

  /** A name that looks like an id would never be found by it. */
  public static void refuseIdAsUid(Fields fields, @Nullable String uid, IdKind kind) {
    if (uid != null && uid.startsWith(kind.prefix())) {
      fields.problem("uid", "must not start with " + kind.prefix());
    }
  }

  /** Event types and prefixes, checked. */
  public static List<String> subscriptions(Fields fields, String name, int least) {
    List<String> patterns =
        fields.texts(name, least, Limits.ENDPOINT_EVENT_TYPES, TextRule.of(1, Limits.SUBSCRIPTION));
    for (String pattern : patterns == null ? List.<String>of() : patterns) {
      try {
        Subscription.parse(pattern);
      } catch (IllegalArgumentException e) {
        fields.problem(name, String.valueOf(e.getMessage()));
      }
    }
    return patterns == null ? List.of() : patterns;
  }

  /**
   * A schedule such as {@code 5s,30s,2m}, or a number of retries and a schedule in seconds, cut to
   * the shorter of the two; null means the next level's.
   */
  public static @Nullable String retryPolicy(Fields fields) {
    if (fields.isObject("retryPolicy")) {
      return countedRetries(requireNonNull(fields.object("retryPolicy")));
    }
    String text = fields.text("retryPolicy", TextRule.upTo(1_000));
    if (text == null) {
      return null;
    }
    try {
      return RetryPolicy.parse(text).text();
    } catch (IllegalArgumentException e) {
      fields.problem("retryPolicy", String.valueOf(e.getMessage()));
      return null;
    }
  }

  private static @Nullable String countedRetries(Fields policy) {
    policy.require("backoffSchedule");
    List<Long> seconds =
        policy.numbers(
            "backoffSchedule", RetryPolicy.MAX_DELAYS, 0, RetryPolicy.MAX_DELAY.toSeconds());
    Integer retries = policy.integer("maxRetries", 0, Integer.MAX_VALUE);
    return seconds == null
        ? null
        : RetryPolicy.of(
                retries == null ? seconds.size() : retries,
                seconds.stream().map(Duration::ofSeconds).toList())
            .text();
  }

  /**
   * How long an environment or an application keeps finished things; none given means the wider
   * choice.
   */
  public static RetentionSettings retention(Fields fields) {
    Fields retention = fields.object("retention");
    return retention == null
        ? RetentionSettings.NONE
        : new RetentionSettings(
            hours(retention, "deliveredHours"),
            hours(retention, "deadLetterHours"),
            hours(retention, "unroutedHours"));
  }

  private static @Nullable Integer hours(Fields retention, String name) {
    Integer hours = retention.integer(name, 1, Limits.KEPT_HOURS);
    return hours == null || hours < 1 ? null : hours;
  }

  public static void write(JsonOut out, RetentionSettings retention) {
    out.numberOrNull("deliveredHours", retention.deliveredHours())
        .numberOrNull("deadLetterHours", retention.deadLetterHours())
        .numberOrNull("unroutedHours", retention.unroutedHours());
  }

  /** A point in time; null if it is not given. */
  public static @Nullable Instant time(Fields fields, String name) {
    String text = fields.text(name, TextRule.of(1, 64));
    Long time = text == null ? null : Times.parse(text);
    if (text != null && time == null) {
      fields.problem(name, "must be a time such as 2026-01-31T12:00:00Z");
    }
    return time == null ? null : Instant.ofEpochMilli(time);
  }

  /** True for the second of two words; absent or null means the first. */
  public static boolean isSecond(Fields fields, String field, String first, String second) {
    String word = fields.text(field, TextRule.of(1, 20));
    if (word != null && !word.equals(first) && !word.equals(second)) {
      fields.problem(field, "must be " + first + " or " + second);
    }
    return second.equals(word);
  }
}
