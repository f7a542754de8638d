package dev.postrider.inbound.verify.provider;

import dev.postrider.inbound.request.Extractor;
import dev.postrider.inbound.request.FormFields;
import dev.postrider.inbound.request.JsonBody;
import dev.postrider.inbound.request.MultipartFields;
import dev.postrider.inbound.request.Unwrapping;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Determines the event types of providers that need more than one header or field for it. */
public final class ProviderTypes {
  private ProviderTypes() {}

  /** Events are JSON; commands and buttons are forms, the latter with JSON in {@code payload}. */
  public static Extractor slack() {
    Extractor json = Extractor.field("event", "type").or(Extractor.field("type"));
    return json.or(
        request -> {
          FormFields form = FormFields.of(request);
          if (form == null) {
            return null;
          }
          String payload = form.first("payload");
          String type =
              payload == null
                  ? null
                  : JsonBody.text(payload.getBytes(StandardCharsets.UTF_8), "type");
          return type == null && form.first("command") != null ? "slash_command" : type;
        });
  }

  /** The body contains the accounts whose files changed, and nothing else. */
  public static Extractor dropbox() {
    return request ->
        JsonBody.text(request.body(), "list_folder", "accounts", "0") == null
            ? null
            : "list_folder";
  }

  /** Callbacks are forms with a status field that determines the event type. */
  public static Extractor twilio() {
    Extractor events = Extractor.field("0", "type").or(Extractor.field("type"));
    return events.or(
        request -> {
          FormFields form = FormFields.of(request);
          if (form == null) {
            return null;
          }
          String type = form.first("EventType");
          type = type == null ? labelled("message.", form.first("MessageStatus")) : type;
          type = type == null ? labelled("message.", form.first("SmsStatus")) : type;
          return type == null ? labelled("call.", form.first("CallStatus")) : type;
        });
  }

  /** The type inside the published message, else its subject. */
  public static Extractor sns() {
    Extractor subject = Extractor.header(Unwrapping.SNS_SUBJECT).or(Extractor.field("Subject"));
    return request -> {
      byte[] inner = Unwrapping.snsMessage(request);
      String type = JsonBody.text(inner, "type");
      type = type == null ? JsonBody.text(inner, "detail-type") : type;
      type = type == null ? subject.extract(request) : type;
      return type == null ? "sns.notification" : type;
    };
  }

  /** A field of a form, whether or not it has files. */
  public static Extractor formField(String name) {
    return request -> {
      FormFields form = FormFields.of(request);
      if (form != null) {
        return form.first(name);
      }
      MultipartFields parts = MultipartFields.parse(request);
      return parts == null ? null : parts.first(name);
    };
  }

  public static Extractor labelled(String label, Extractor other) {
    return request -> labelled(label, other.extract(request));
  }

  private static @Nullable String labelled(String label, @Nullable String text) {
    return text == null ? null : label + text;
  }

  /** {@code Push Hook} as {@code push}, {@code Merge Request Hook} as {@code merge_request}. */
  public static Extractor gitLab() {
    Extractor header = Extractor.header("x-gitlab-event");
    return request -> {
      String name = header.extract(request);
      if (name == null) {
        return null;
      }
      String plain = name.endsWith(" Hook") ? name.substring(0, name.length() - 5) : name;
      return plain.toLowerCase(Locale.ROOT).replace(' ', '_');
    };
  }
}
