package dev.postrider.workflow.definition;

import dev.postrider.endpoint.HeaderRules;
import dev.postrider.field.FieldValues;
import dev.postrider.net.HeaderNames;
import dev.postrider.workflow.data.TextTemplate;
import dev.postrider.workflow.definition.Outline.Declared;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks the request of a step: its URL, its headers and how it is signed. */
final class RequestCheck {
  /** Up to the end of the host. */
  private static final Pattern HOST =
      Pattern.compile("https?://[^/?#{}]+([/?#].*)?", Pattern.DOTALL);

  /** Set by the server on each request of a step. */
  private static final Set<String> OWN = Set.of("idempotency-key");

  private final ExpressionCheck expressions;
  private final Surroundings surroundings;
  private final Problems problems;

  RequestCheck(ExpressionCheck expressions, Surroundings surroundings, Problems problems) {
    this.expressions = expressions;
    this.surroundings = surroundings;
    this.problems = problems;
  }

  void check(Declared step) {
    FieldValues values = step.values;
    url(step, values.get(StepFields.URL));
    for (Map.Entry<String, String> header : values.get(StepFields.HEADERS).entrySet()) {
      header(step, header.getKey(), header.getValue());
    }
    signing(step);
  }

  private void url(Declared step, @Nullable String text) {
    Place place = step.place.at(StepFields.URL);
    if (text == null || problems.isAbout(place)) {
      return;
    }
    TextTemplate template = expressions.template(step, text, place, false);
    if (template == null || problems.isAbout(place)) {
      return;
    }
    String beginning =
        template.parts().getFirst() instanceof TextTemplate.Literal(String literal) ? literal : "";
    Matcher host = HOST.matcher(beginning);
    boolean computed = !template.isLiteral();
    if (computed && !(host.matches() && host.group(1) != null)) {
      problems.add(place, "the host of a URL cannot be computed; move {{…}} behind the host");
      return;
    }
    if (!host.matches()) {
      problems.add(place, "must be an http:// or https:// URL, such as https://example.com/hook");
      return;
    }
    String problem = surroundings.urlProblem(sample(template));
    if (problem != null) {
      problems.add(place, problem);
    }
  }

  /** A URL as it could be sent. */
  static String sample(TextTemplate template) {
    StringBuilder url = new StringBuilder();
    template
        .parts()
        .forEach(
            part -> url.append(part instanceof TextTemplate.Literal(String text) ? text : "x"));
    return url.toString();
  }

  private void header(Declared step, String name, String value) {
    Place place = step.place.at(StepFields.HEADERS).at(name);
    if (OWN.contains(name.toLowerCase(Locale.ROOT))) {
      problems.add(place, "is set by the server, the same for all attempts of a step; remove it");
      return;
    }
    TextTemplate template = expressions.template(step, value, place, true);
    if (template == null) {
      return;
    }
    String problem = HeaderRules.problem(name, template.isLiteral() ? value : "");
    if (problem != null) {
      problems.add(place, problem);
    } else if (template.isLiteral() && HeaderNames.soundsSecret(name)) {
      problems.add(
          place,
          "%s may carry a credential; write {{secrets.NAME}} and put the value under secrets"
              .formatted(name));
    }
  }

  private void signing(Declared step) {
    String secret = step.values.get(StepFields.SIGNING_SECRET);
    boolean signed = step.values.get(StepFields.SIGNING).equals("standard");
    Place place = step.place.at(StepFields.SIGNING_SECRET);
    if (secret != null) {
      TextTemplate template = expressions.template(step, secret, place, true);
      boolean one = template != null && template.parts().size() == 1;
      if (template != null && !(one && template.secrets().size() == 1)) {
        problems.add(place, "must be {{secrets.NAME}}; put the value under secrets");
      } else if (!signed) {
        problems.add(place, "is not used; add signing: standard, or remove it");
      }
    } else if (signed) {
      problems.add(
          step.place.at(StepFields.SIGNING),
          "needs %s; add %1$s: \"{{secrets.NAME}}\" and put the value under secrets"
              .formatted(problems.name(StepFields.SIGNING_SECRET)));
    }
  }
}
