package dev.postrider.inbound.verify.verifier;

import dev.postrider.inbound.request.InboundRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The text that a scheme signs, as a template: {@code v0:{timestamp}:{body}}. The parts are
 * streamed, so that the body is never copied.
 */
final class SignedText {
  static final int MAX_CHARACTERS = 512;

  private static final Pattern VARIABLE = Pattern.compile("\\{([^{}]*)}");
  private static final List<String> VARIABLES =
      List.of("body", "timestamp", "method", "url", "decoded_url", "path", "query", "header:NAME");

  /** The escapes that HubSpot decodes before it signs; all others stay. */
  private static final Map<String, String> DECODED =
      Map.ofEntries(
          Map.entry("%3A", ":"),
          Map.entry("%2F", "/"),
          Map.entry("%3F", "?"),
          Map.entry("%40", "@"),
          Map.entry("%21", "!"),
          Map.entry("%24", "$"),
          Map.entry("%27", "'"),
          Map.entry("%28", "("),
          Map.entry("%29", ")"),
          Map.entry("%2A", "*"),
          Map.entry("%2C", ","),
          Map.entry("%3B", ";"));

  private static final Pattern ESCAPE = Pattern.compile("%[0-9A-Fa-f]{2}");

  /** The values of the variables for one request. */
  record Values(InboundRequest request, String url, String timestamp) {}

  private sealed interface Part {
    record Literal(String text) implements Part {}

    record Variable(String name) implements Part {}
  }

  private final String template;
  private final List<Part> parts;

  private SignedText(String template, List<Part> parts) {
    this.template = template;
    this.parts = parts;
  }

  static SignedText parse(String template) {
    if (template.length() > MAX_CHARACTERS) {
      throw SchemeOptions.refused("template", "must have at most 512 characters");
    }
    List<Part> parts = new ArrayList<>();
    Matcher variable = VARIABLE.matcher(template);
    int from = 0;
    while (variable.find()) {
      addLiteral(parts, template.substring(from, variable.start()));
      parts.add(new Part.Variable(known(variable.group(1))));
      from = variable.end();
    }
    addLiteral(parts, template.substring(from));
    SignedText text = new SignedText(template, List.copyOf(parts));
    if (!text.uses("body")) {
      throw SchemeOptions.refused(
          "template", "must contain {body}; otherwise the signature does not protect the body");
    }
    return text;
  }

  private static void addLiteral(List<Part> parts, String text) {
    if (!text.isEmpty()) {
      parts.add(new Part.Literal(text));
    }
  }

  private static String known(String name) {
    if (!VARIABLES.contains(name) && !name.matches("header:[A-Za-z0-9_-]{1,128}")) {
      throw SchemeOptions.refused(
          "template", "{" + name + "} is not one of {" + String.join("}, {", VARIABLES) + "}");
    }
    return name;
  }

  boolean uses(String name) {
    return parts.contains(new Part.Variable(name));
  }

  /** The signed header that is missing, if any. */
  @Nullable String missingHeader(InboundRequest request) {
    for (Part part : parts) {
      if (part instanceof Part.Variable(String name)
          && name.startsWith("header:")
          && request.header(name.substring("header:".length())) == null) {
        return name.substring("header:".length());
      }
    }
    return null;
  }

  void feed(Values values, Consumer<byte[]> sink) {
    for (Part part : parts) {
      switch (part) {
        case Part.Literal(String text) -> sink.accept(utf8(text));
        case Part.Variable(String name) -> sink.accept(value(name, values));
      }
    }
  }

  private static byte[] value(String name, Values values) {
    return switch (name) {
      case "body" -> values.request().body();
      case "timestamp" -> utf8(values.timestamp());
      case "method" -> utf8(values.request().method());
      case "url" -> utf8(values.url());
      case "decoded_url" -> utf8(decoded(values.url()));
      case "path" -> utf8(path(values.url()));
      case "query" -> utf8(values.request().query());
      default -> header(name.substring("header:".length()), values.request());
    };
  }

  private static byte[] header(String name, InboundRequest request) {
    String value = request.header(name);
    return value == null ? new byte[0] : utf8(value);
  }

  private static String decoded(String url) {
    return ESCAPE
        .matcher(url)
        .replaceAll(
            found ->
                Matcher.quoteReplacement(
                    DECODED.getOrDefault(found.group().toUpperCase(Locale.ROOT), found.group())));
  }

  private static String path(String url) {
    int scheme = url.indexOf("://");
    int slash = url.indexOf('/', scheme < 0 ? 0 : scheme + 3);
    if (slash < 0) {
      return "/";
    }
    int mark = url.indexOf('?', slash);
    return url.substring(slash, mark < 0 ? url.length() : mark);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return template;
  }
}
