package dev.postrider.configfile;

import dev.postrider.config.Quantities;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.Subscription;
import dev.postrider.field.CommonRules;
import dev.postrider.field.FieldType;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.json.TextRule;
import dev.postrider.net.Cidr;
import dev.postrider.workflow.definition.StepFields;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The text formats that several keys of the file share. The limits are those of the API. */
final class FileFormats {
  static final int MAX_ENTRIES = 10_000;

  private static final String NAME_FORM = "a name of the characters a-z A-Z 0-9 - _ .";
  private static final TextRule UID =
      TextRule.matching(CommonRules.MAX_NAME, "[a-zA-Z0-9\\-_.]", NAME_FORM);
  private static final Pattern ID = Pattern.compile("(app|ep|src|queue)_[0-9A-Za-z]{20,}");

  private FileFormats() {}

  static FieldShape.Word text(int max) {
    TextRule rule = TextRule.upTo(max);
    return new FieldShape.Word("text of at most " + max + " characters", rule::problem, false);
  }

  static FieldShape.Word words(int max) {
    TextRule rule = TextRule.of(1, max);
    return new FieldShape.Word("text of 1 to " + max + " characters", rule::problem, false);
  }

  static FieldShape.Word secret(FieldType.Secret type) {
    return new FieldShape.Word(
        "a secret; write \"${VARIABLE}\" or { file: path } rather than the secret itself",
        type::problem,
        true);
  }

  /** What secrets of a source can be for. */
  static FieldShape.Word secretName() {
    return new FieldShape.Word(
        "an event type, or a prefix such as invoice.*", SecretChange::nameProblem, false);
  }

  /** What the server calls by this name too, so it must not look like one of its ids. */
  static FieldShape.Word name() {
    return new FieldShape.Word(
        NAME_FORM,
        text ->
            ID.matcher(text).matches()
                ? "looks like an id of the server; choose another name"
                : UID.problem(text),
        false);
  }

  static FieldShape.Word workflowName() {
    return new FieldShape.Word(
        "a name of 1 to 64 of the characters a-z A-Z 0-9 - _",
        StepFields.NAME_RULE::problem,
        false);
  }

  static FieldShape.Word eventType() {
    return new FieldShape.Word(
        "an event type, such as invoice.paid", FileFormats::badEventType, false);
  }

  private static @Nullable String badEventType(String text) {
    return Subscription.isEventType(text)
        ? null
        : "must be an event type of 1 to 256 of a-z A-Z 0-9 - _ . such as invoice.paid";
  }

  static FieldShape.Word pattern() {
    return new FieldShape.Word(
        "an event type, a prefix such as invoice.*, or *",
        text -> refusal(() -> Subscription.parse(text)),
        false);
  }

  static FieldShape.Word duration(Duration min, Duration max) {
    String form =
        "a duration from %s to %s, such as 30s"
            .formatted(Quantities.show(min), Quantities.show(max));
    return new FieldShape.Word(
        form,
        text -> {
          String problem = refusal(() -> Quantities.parseDuration(text));
          if (problem != null) {
            return problem;
          }
          Duration given = Quantities.parseDuration(text);
          return given.compareTo(min) < 0 || given.compareTo(max) > 0
              ? "is " + text + "; must be " + form
              : null;
        },
        false);
  }

  static FieldShape.Word size(long min, long max) {
    String form =
        "a size from %s to %s, such as 512KB"
            .formatted(Quantities.showSize(min), Quantities.showSize(max));
    return new FieldShape.Word(
        form,
        text -> {
          String problem = refusal(() -> Quantities.parseSize(text));
          if (problem != null) {
            return problem;
          }
          long given = Quantities.parseSize(text);
          return given < min || given > max ? "is " + text + "; must be " + form : null;
        },
        false);
  }

  /** {@code 5s,30s}, a list of durations, or {@code none}. */
  static FieldShape retry() {
    FieldShape.Word one =
        new FieldShape.Word(
            "a schedule such as 5s,30s,2m, or none",
            text -> text.equals("none") ? null : refusal(() -> RetryPolicy.parse(text)),
            false);
    return new FieldShape.ListOf(one, RetryPolicy.MAX_DELAYS);
  }

  static FieldShape.Word url() {
    return new FieldShape.Word("an http:// or https:// URL", FileFormats::badUrl, false);
  }

  private static @Nullable String badUrl(String text) {
    if (text.length() > EndpointFields.MAX_URL) {
      return "must have at most " + EndpointFields.MAX_URL + " characters";
    }
    try {
      URI uri = new URI(text);
      boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (web && uri.getHost() != null && uri.getRawUserInfo() == null) {
        return null;
      }
      return uri.getRawUserInfo() != null
          ? "contains a user name; use headers: { authorization: \"Basic …\" } instead"
          : "must be an http:// or https:// URL, such as https://example.com/hook";
    } catch (URISyntaxException e) {
      return "is not a valid URL: " + e.getReason() + "; write it as https://example.com/hook";
    }
  }

  static FieldShape.Word network() {
    return new FieldShape.Word(
        "an IP address or CIDR, such as 10.0.0.0/8",
        text -> refusal(() -> Cidr.parse(text)),
        false);
  }

  static FieldShape.Word timeZone() {
    return new FieldShape.Word(
        "a time zone such as Europe/Berlin",
        text -> {
          try {
            ZoneId.of(text);
            return null;
          } catch (DateTimeException e) {
            return "is not a valid time zone; use a name such as Europe/Berlin or UTC";
          }
        },
        false);
  }

  /** The message of the parser when it rejects the value. */
  static @Nullable String refusal(Runnable parsing) {
    try {
      parsing.run();
      return null;
    } catch (IllegalArgumentException | ArithmeticException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
