package dev.postrider.alert;

import dev.postrider.json.Json;
import dev.postrider.json.Times;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The format of an alert request. Its name is also the channel of the alert messages. */
public enum AlertForm {
  GENERIC {
    @Override
    byte[] body(Alert alert) {
      ObjectNode out = Json.MAPPER.createObjectNode();
      out.put("alert", alert.kind().text());
      out.put("message", alert.text());
      out.put("application", alert.application());
      out.put("subject", alert.subject());
      out.put("left_out", alert.leftOut());
      out.put("timestamp", Times.text(alert.atMs()));
      alert.facts().forEach(out::put);
      return out.toString().getBytes(StandardCharsets.UTF_8);
    }
  },
  SLACK {
    @Override
    byte[] body(Alert alert) {
      return one("text", "*" + title(alert) + "*\n" + slackText(line(alert)));
    }
  },
  DISCORD {
    @Override
    byte[] body(Alert alert) {
      ObjectNode out = Json.MAPPER.createObjectNode();
      ObjectNode embed = out.putArray("embeds").addObject();
      embed.put("title", title(alert));
      embed.put("description", cut(line(alert), MAX_DESCRIPTION));
      embed.put("color", color(alert));
      embed.put("timestamp", Times.text(alert.atMs()));
      ArrayNode fields = embed.putArray("fields");
      field(fields, "application", alert.application());
      field(fields, "subject", alert.subject());
      alert.facts().forEach((name, value) -> field(fields, name, value));
      // Text from outside must not trigger mentions in Slack or Discord.
      out.putObject("allowed_mentions").putArray("parse");
      return out.toString().getBytes(StandardCharsets.UTF_8);
    }
  };

  /** Half of what Discord allows, so that all parts together stay within its 6,000 characters. */
  static final int MAX_DESCRIPTION = 2_000;

  static final int MAX_FIELDS = 10;
  static final int MAX_FIELD = 256;
  private static final int RED = 0xd93025;
  private static final int ORANGE = 0xf29900;

  abstract byte[] body(Alert alert);

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static String title(Alert alert) {
    return switch (alert.kind()) {
      case DEAD_LETTER -> "Dead letter";
      case VERIFICATION_FAILURE -> "Verification failed";
      case REQUEST_REJECTED -> "Request rejected";
      case CIRCUIT_OPENED -> "Circuit opened";
      case LAG -> "Deliveries are late";
    };
  }

  /** Red: a message was given up or a request is not genuine. Orange: it may recover. */
  private static int color(Alert alert) {
    return switch (alert.kind()) {
      case DEAD_LETTER, VERIFICATION_FAILURE -> RED;
      case REQUEST_REJECTED, CIRCUIT_OPENED, LAG -> ORANGE;
    };
  }

  /** Discord refuses an embed with an empty field, or with too many. */
  private static void field(ArrayNode fields, String name, String value) {
    if (!value.isBlank() && !name.isBlank() && fields.size() < MAX_FIELDS) {
      fields
          .addObject()
          .put("name", cut(name, MAX_FIELD))
          .put("value", cut(value, MAX_FIELD))
          .put("inline", true);
    }
  }

  private static String cut(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(max - 2)) ? max - 2 : max - 1;
    return text.substring(0, end) + "…";
  }

  private static String line(Alert alert) {
    return alert.text() + (alert.leftOut() == 0 ? "" : " (and " + alert.leftOut() + " more)");
  }

  /** The three characters that have a meaning in Slack messages. */
  private static String slackText(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static byte[] one(String name, String value) {
    ObjectNode out = Json.MAPPER.createObjectNode();
    out.put(name, value);
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }
}
