package dev.postrider.configfile;

import dev.postrider.delivery.http.BadTarget;
import dev.postrider.delivery.http.Target;
import dev.postrider.delivery.http.TargetRules;
import dev.postrider.delivery.policy.RetryPolicy;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.EndpointEdit;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.ForwardedHeaders;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.expression.Expressions;
import dev.postrider.expression.InvalidExpression;
import dev.postrider.json.Json;
import dev.postrider.options.Secret;
import dev.postrider.signature.SignatureScheme;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Reads handlers and endpoints, which are the same thing but for whose they are. */
final class EndpointReader {
  private static final String OBSERVATORY_SCHEME =
      new SignatureScheme.Sha256Hex("X-Observatory-Signature", null, null, null).encode();

  private static final Map<String, String> SCHEME_FIELDS =
      Map.of(
          "type", "type",
          "headers", "headers",
          "header", "header",
          "event_header", "eventHeader",
          "delivery_id_header", "deliveryIdHeader",
          "timestamp_header", "timestampHeader");

  private final Expressions expressions;
  private final FileProblems problems;

  EndpointReader(Expressions expressions, FileProblems problems) {
    this.expressions = expressions;
    this.problems = problems;
  }

  Document.Receiver read(FileFields entry, String application, String uid) {
    boolean agent = "agent".equals(entry.text("profile"));
    Integer delay = entry.milliseconds("initial_delay");
    String retry = entry.retry();
    if (agent) {
      delay = delay == null ? Integer.valueOf(AgentRoute.Profile.AGENT_DELAY_MS) : delay;
      retry = retry == null ? AgentRoute.Profile.AGENT_SCHEDULE : retry;
    }
    String scheme = scheme(entry);
    EndpointEdit edit =
        EndpointSpec.of(canonicalUrl(entry.text("url", "")))
            .edit()
            .uid(uid)
            .method(entry.text("method", "POST"))
            .description(entry.text("description", ""))
            .metadata(entry.textsByName("metadata"))
            .subscriptions(subscriptions(entry))
            .channels(entry.texts("channels"))
            .ordered("fifo".equals(entry.text("ordering")))
            .pauseOnDeadLetter("pause".equals(entry.text("on_dead_letter")))
            .throttleRate(entry.whole("throttle"))
            .timeoutMs(entry.milliseconds("timeout"))
            .maxInFlight(entry.whole("max_in_flight"))
            .initialDelayMs(delay)
            .retryPolicy(canonical(retry))
            .signatureScheme(scheme)
            .filter(expression(entry, "filter"))
            .transform(expression(entry, "transform"))
            .forwardHeaders(forwarded(entry));
    return new Document.Receiver(
        entry.place(),
        entry.key(),
        application,
        uid,
        edit.done(),
        entry.flag("enabled"),
        headers(entry),
        // Of a scheme that is none the secret cannot be judged.
        problems.isAbout(entry.key() + ".signature") ? null : secret(entry, scheme));
  }

  /** As the API stores it; a URL that cannot be used is reported where URLs are checked. */
  static String canonicalUrl(String url) {
    try {
      return Target.parse(url, new TargetRules(false, List.of())).url();
    } catch (BadTarget _) {
      return url;
    }
  }

  /** {@code *} among others is all, which the server writes as no subscription. */
  private static List<String> subscriptions(FileFields entry) {
    List<String> events = entry.texts("events");
    return events.contains("*") ? List.of() : events;
  }

  private List<String> forwarded(FileFields entry) {
    List<String> names = entry.texts("forward_headers");
    for (int n = 0; n < names.size(); n++) {
      String problem = ForwardedHeaders.problem(names.get(n));
      if (problem != null) {
        problems.add(
            entry.at("forward_headers", n),
            "%s.forward_headers[%d]".formatted(entry.key(), n),
            "\"" + names.get(n) + "\": " + problem);
      }
    }
    return names;
  }

  private static @Nullable String canonical(@Nullable String retry) {
    return retry == null ? null : RetryPolicy.parse(retry).text();
  }

  private Map<String, String> headers(FileFields entry) {
    Map<String, String> headers = entry.textsByName("headers");
    headers.forEach(
        (name, value) -> {
          String problem = HeaderRules.problem(name, value);
          if (problem != null) {
            problems.add(entry.at("headers", name), entry.key() + ".headers." + name, problem);
          }
        });
    return headers;
  }

  private @Nullable String expression(FileFields entry, String field) {
    String text = entry.text(field);
    if (text != null) {
      checkExpression(expressions, entry, field, problems);
    }
    return text;
  }

  static void checkExpression(
      Expressions expressions, FileFields entry, String field, FileProblems problems) {
    try {
      expressions.check(entry.text(field, ""));
    } catch (InvalidExpression e) {
      problems.add(entry.at(field), entry.key() + "." + field, String.valueOf(e.getMessage()));
    }
  }

  private @Nullable String scheme(FileFields entry) {
    String word = entry.text("signature");
    if (word != null) {
      return switch (word) {
        case FileSchema.OBSERVATORY -> OBSERVATORY_SCHEME;
        case "none" -> new SignatureScheme.None().encode();
        default -> SignatureScheme.byDefault().encode();
      };
    }
    FileFields table = entry.inner("signature");
    if (table == null || problems.isAbout(table.key())) {
      return null;
    }
    ObjectNode json = Json.MAPPER.createObjectNode();
    SCHEME_FIELDS.forEach(
        (field, name) -> {
          String text = table.text(field);
          if (text != null) {
            json.put(name, text);
          }
        });
    try {
      return SignatureScheme.decode(json.toString()).encode();
    } catch (IllegalArgumentException e) {
      problems.add(table.place(), table.key(), String.valueOf(e.getMessage()));
      return null;
    }
  }

  private @Nullable Secret secret(FileFields entry, @Nullable String scheme) {
    String text = entry.text("secret");
    if (text == null) {
      return null;
    }
    try {
      var _ = SignatureScheme.of(scheme).parseKey(text);
      return new Secret(text);
    } catch (IllegalArgumentException e) {
      problems.add(
          entry.at("secret"),
          entry.key() + ".secret",
          String.valueOf(e.getMessage()).replaceFirst("^secret: ", ""));
      return null;
    }
  }
}
