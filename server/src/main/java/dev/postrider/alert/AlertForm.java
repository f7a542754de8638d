package dev.postrider.alert;

import dev.postrider.json.Json;
import dev.postrider.json.Times;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
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
      String text = "**" + title(alert) + "**\n" + line(alert);
      ObjectNode out = Json.MAPPER.createObjectNode();
      out.put("content", text.length() > MAX_DISCORD ? text.substring(0, MAX_DISCORD) : text);
      // Text from outside must not trigger mentions in Slack or Discord.
      out.putObject("allowed_mentions").putArray("parse");
      return out.toString().getBytes(StandardCharsets.UTF_8);
    }
  };

  static final int MAX_DISCORD = 1_900;

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
