package dev.postrider.workflow.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.ConfigurationFile;
import dev.postrider.configfile.ConfigurationText;
import dev.postrider.configfile.FileProblem;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** Every problem of a definition is found when it is loaded, with its line and the fix. */
final class DefinitionCheckTest {
  private static final String STEP = "type: http, url: https://example.com/a";

  private static ConfigurationFile read(String yaml) {
    return ConfigurationFile.read(
        new ConfigurationText(new ConfigurationText.Part("postrider.yaml", yaml), null, null, null),
        Map.of());
  }

  /** The problems of a file with their lines. */
  private static List<String> problems(String yaml) {
    try {
      read(yaml);
      return List.of();
    } catch (BadFile e) {
      return e.lines().stream()
          .map(line -> line.replaceFirst("^postrider.yaml:(\\d+):\\d+", "$1"))
          .toList();
    }
  }

  /** A file with one workflow of these lines; the first of them is line 3. */
  private static String order(String... lines) {
    return "workflows:\n  order:\n"
        + Arrays.stream(lines).map(line -> "    " + line + "\n").collect(Collectors.joining());
  }

  /** The same of steps; the first of them is line 4. */
  private static String steps(String... lines) {
    return order("steps:") + indented(lines);
  }

  private static String indented(String... lines) {
    return Arrays.stream(lines).map(line -> "      " + line + "\n").collect(Collectors.joining());
  }

  private static void finds(String yaml, String... problems) {
    assertThat(problems(yaml)).containsExactly(problems);
  }

  private static Definition definition(String yaml) {
    return DefinitionReader.read(read(yaml).document().workflows().getFirst().values().stored());
  }

  @Test
  void anUnknownTarget() {
    finds(
        steps(
            "- { name: a, " + STEP + ", next: aprove }",
            "- { name: approve, " + STEP + ", catch: [{ errors: [5xx], next: chrge }] }",
            "- { name: choose, type: choice, choices: [{ when: total > 1, next: zzzz }], default: b"
                + " }",
            "- { name: charge, " + STEP + " }"),
        "4: workflows.order.steps[0].next: the step \"aprove\" does not exist in this list."
            + " Did you mean approve?",
        "5: workflows.order.steps[1].catch[0].next: the step \"chrge\" does not exist in this"
            + " list. Did you mean charge?",
        "6: workflows.order.steps[2].choices[0].next: the step \"zzzz\" does not exist in this"
            + " list. Add it, or use the name of another step.",
        "6: workflows.order.steps[2].default: the step \"b\" does not exist in this list."
            + " Did you mean a?");
  }

  @Test
  void aProblemHasFileLineColumnAndKey() {
    String yaml = steps("- { name: a, type: wait, duration: 1h, next: b }");
    assertThat(Assertions.catchThrowableOfType(BadFile.class, () -> read(yaml)).lines())
        .containsExactly(
            "postrider.yaml:4:52: workflows.order.steps[0].next: the step \"b\" does not exist in"
                + " this list. Did you mean a?");
  }

  @Test
  void aTargetElsewhere() {
    finds(
        order(
            "steps:",
            "  - { name: charge, " + STEP + ", next: release, compensate: release }",
            "  - name: both",
            "    type: parallel",
            "    branches:",
            "      - name: one",
            "        steps: [{ name: inner, " + STEP + ", next: charge }]",
            "handlers: [{ name: release, " + STEP + " }]"),
        "4: workflows.order.steps[0].next: the step \"release\" is a handler; use it in"
            + " compensate or finally, or move it to steps",
        "9: workflows.order.steps[1].branches[0].steps[0].next: \"charge\" is not in this"
            + " branch; next can only lead to a step of the same list");
  }

  @Test
  void aDuplicateName() {
    finds(
        steps(
            "- { name: charge, " + STEP + " }",
            "- name: both",
            "  type: parallel",
            "  branches:",
            "    - { name: one, steps: [{ name: charge, " + STEP + " }] }",
            "    - { name: one, steps: [{ name: other, " + STEP + " }] }"),
        "8: workflows.order.steps[1].branches[0].steps[0].name: \"charge\" is also the name of"
            + " steps[0]; names are unique in a workflow, handlers and branches included",
        "9: workflows.order.steps[1].branches[1].name: \"one\" is also the name of branches[0];"
            + " each branch needs another name");
  }

  @Test
  void anUnreachableStep() {
    finds(
        steps(
            "- { name: charge, " + STEP + ", end: true }",
            "- { name: ship, " + STEP + " }",
            "- { name: after, " + STEP + " }"),
        "5: workflows.order.steps[1]: the step \"ship\" is never reached: \"charge\" before it"
            + " has end: true. Remove end, or set next: ship in a step");
    finds(
        steps(
            "- { name: size, type: choice, choices: [{ when: a, next: ship }], default: ship }",
            "- { name: charge, " + STEP + " }",
            "- { name: ship, " + STEP + " }"),
        "5: workflows.order.steps[1]: the step \"charge\" is never reached: \"size\" before it"
            + " does not choose it. Set next: charge in a choice, or default: charge");
    finds(
        steps(
            "- { name: a, " + STEP + ", next: c }",
            "- { name: b, type: fail, error: no }",
            "- { name: c, " + STEP + " }"),
        "5: workflows.order.steps[1]: the step \"b\" is never reached: \"a\" before it has next:"
            + " c. Remove next, or set next: b in a step");
    finds(
        steps("- { name: a, type: fail, error: no }", "- { name: b, " + STEP + " }"),
        "5: workflows.order.steps[1]: the step \"b\" is never reached: \"a\" before it is of the"
            + " type fail. Set next: b in a step, or remove it");
  }

  @Test
  void aCycleWithoutChoiceWaitOrCallback() {
    finds(
        steps("- { name: a, " + STEP + " }", "- { name: b, " + STEP + ", next: a }"),
        "4: workflows.order.steps[0]: the steps \"a\" → \"b\" → \"a\" repeat without choice, wait"
            + " or callback; add one of them, or remove next");
    finds(
        steps("- { name: a, " + STEP + ", catch: [{ next: a }] }"),
        "4: workflows.order.steps[0]: the steps \"a\" → \"a\" repeat without choice, wait or"
            + " callback; add one of them, or remove next");
    assertThat(
            problems(
                steps(
                    "- { name: a, " + STEP + " }",
                    "- { name: pause, type: wait, duration: 1h }",
                    "- { name: b, " + STEP + ", next: a }")))
        .isEmpty();
  }

  @Test
  void aWorkflowThatStartsItself() {
    finds(
        "workflows:\n"
            + "  order: { steps: [{ name: a, type: workflow, workflow: refund }] }\n"
            + "  refund: { steps: [{ name: b, type: workflow, workflow: order }] }\n",
        "2: workflows.order.steps[0].workflow: the workflow starts itself: order → refund →"
            + " order; remove one of the workflow steps",
        "3: workflows.refund.steps[0].workflow: the workflow starts itself: refund → order →"
            + " refund; remove one of the workflow steps");
  }

  @Test
  void anUnknownChild() {
    finds(
        "workflows:\n"
            + "  order: { steps: [{ name: a, type: workflow, workflow: refnd }] }\n"
            + "  refund: { steps: [{ name: b, "
            + STEP
            + " }] }\n",
        "2: workflows.order.steps[0].workflow: the workflow \"refnd\" does not exist. Did you"
            + " mean refund?");
  }

  @Test
  void anInvalidExpression() {
    List<String> found =
        problems(
            steps(
                "- { name: a, " + STEP + ", input: 'a +' }",
                "- { name: b, type: choice, choices: [{ when: '(', next: c }], default: c }",
                "- { name: c, type: http, url: 'https://example.com/{{ a + }}' }",
                "- { name: d, type: map, items: ')', steps: [{ name: e, type: transform,"
                    + " expression: '[' }] }"));
    assertThat(found).hasSize(5).allSatisfy(each -> assertThat(each).contains("line 1, column"));
    assertThat(found.get(0)).startsWith("4: workflows.order.steps[0].input: ");
    assertThat(found.get(1)).startsWith("5: workflows.order.steps[1].choices[0].when: ");
    assertThat(found.get(2))
        .startsWith("6: workflows.order.steps[2].url: the expression is not valid: line 1");
    assertThat(found.get(3)).startsWith("7: workflows.order.steps[3].items: ");
    assertThat(found.get(4)).startsWith("7: workflows.order.steps[3].steps[0].expression: ");
  }

  @Test
  void anUnknownVariable() {
    finds(
        steps(
            "- { name: a, " + STEP + ", input: $stepz.b }",
            "- { name: b, " + STEP + ", body: $total }",
            "- { name: c, " + STEP + ", input: $result, output: $result }"),
        "4: workflows.order.steps[0].input: $stepz is not a variable of workflows. Did you mean"
            + " $steps? Available here: $input, $steps, $run, $message, $error",
        "5: workflows.order.steps[1].body: $total is not a variable of workflows; remove it."
            + " Available here: $input, $steps, $run, $message, $error",
        "6: workflows.order.steps[2].input: $result exists only in output");
  }

  @Test
  void anItemOutsideOfAMap() {
    finds(
        steps(
            "- { name: a, " + STEP + ", input: $item }",
            "- { name: b, type: map, items: lines, steps: [{ name: c, "
                + STEP
                + ", input: '{ \"i\": $item, \"n\": $index }' }] }"),
        "4: workflows.order.steps[0].input: $item exists only in the steps of a map");
  }

  @Test
  void anUnknownStepInAnExpression() {
    finds(
        steps(
            "- { name: reserve, " + STEP + " }",
            "- name: all",
            "  type: map",
            "  items: $steps.reserv.result",
            "  steps: [{ name: inner, " + STEP + ", input: $steps.reserve.result }]",
            "- { name: last, " + STEP + ", input: $steps.inner.result }"),
        "7: workflows.order.steps[1].items: $steps.reserv: there is no step \"reserv\" here or"
            + " in an outer list. Did you mean reserve?",
        "9: workflows.order.steps[2].input: $steps.inner: there is no step \"inner\" here or in"
            + " an outer list. Steps of another list are in the result of their parallel or map"
            + " step.");
  }

  @Test
  void noSteps() {
    String text =
        "steps is required; add at least one step, such as - { name: call, type: http, url:"
            + " https://example.com }";
    finds(order("description: none"), "2: workflows.order.steps: " + text);
    finds(order("steps: []"), "3: workflows.order.steps: " + text);
  }

  @Test
  void aMissingOrUnknownType() {
    finds(
        steps("- { name: a }", "- { name: b, type: htpp }"),
        "4: workflows.order.steps[0]: type is required; add type: http",
        "5: workflows.order.steps[1].type: is \"htpp\"; must be one of http, choice, parallel,"
            + " map, wait, callback, workflow, send, transform, fail, succeed. Did you mean http?");
  }

  @Test
  void aFieldOfAnotherType() {
    finds(
        steps(
            "- { name: a, type: wait, duration: 1s, url: https://example.com }",
            "- { name: b, type: callback, method: PUT }"),
        "4: workflows.order.steps[0].url: url does not apply to steps of the type wait; remove"
            + " it, or use type: http",
        "5: workflows.order.steps[1].method: method is about a notification, and there is none;"
            + " add url, or remove it");
  }

  @Test
  void aMissingField() {
    finds(
        steps(
            "- { name: a, type: http }",
            "- { name: b, type: send, application: acme }",
            "- { name: c, type: map, items: lines }"),
        "4: workflows.order.steps[0]: url is required for steps of the type http; add url:"
            + " https://pay.example.com/orders/{{ order.id }}",
        "5: workflows.order.steps[1]: event_type is required for steps of the type send; add"
            + " event_type: order.shipped",
        "6: workflows.order.steps[2]: steps is required for steps of the type map; add steps:"
            + " [{ name: call, type: http, url: https://example.com }]");
  }

  @Test
  void nextAndEnd() {
    finds(
        steps("- { name: a, " + STEP + ", next: b, end: true }", "- { name: b, " + STEP + " }"),
        "4: workflows.order.steps[0]: has both next and end; remove one of the two");
  }

  @Test
  void nextWhereNothingFollows() {
    finds(
        steps("- { name: a, " + STEP + " }", "- { name: b, type: fail, error: no, next: a }"),
        "5: workflows.order.steps[1].next: a step of the type fail ends its list; remove next");
    ConfigurationFile file =
        read(
            order(
                "steps: [{ name: a, " + STEP + ", compensate: release }]",
                "handlers:",
                "  - { name: release, " + STEP + ", next: a }"));
    assertThat(file.warnings())
        .extracting(FileProblem::toString)
        .containsExactly(
            "postrider.yaml:5:72: workflows.order.handlers[0].next: next of a handler is ignored;"
                + " remove it");
  }

  @Test
  void parallelTakesNoRetry() {
    finds(
        steps(
            "- { name: a, type: parallel, retry: { max: 1 }, branches: [{ name: b, steps: [{ name:"
                + " c, "
                + STEP
                + " }] }] }"),
        "4: workflows.order.steps[0].retry: a parallel step takes catch, not retry; add retry to"
            + " the steps of its branches");
    finds(
        steps(
            "- { name: a, type: map, items: b, retry: { max: 1 }, steps: [{ name: c, "
                + STEP
                + " }] }"),
        "4: workflows.order.steps[0].retry: a map step takes catch, not retry; add retry to its"
            + " steps");
  }

  @Test
  void anUnknownErrorClass() {
    finds(
        steps(
            "- { name: a, " + STEP + ", catch: [{ errors: [5XX], next: b }] }",
            "- { name: b, " + STEP + ", retry: { max: 1, errors: [gone] } }"),
        "4: workflows.order.steps[0].catch[0].errors: \"5XX\" is not an error class. Use"
            + " timeout, network, 4xx, 5xx, rejected, expression, callback_expired, child_failed,"
            + " too_large, limit, all, or the error of a fail step in it",
        "5: workflows.order.steps[1].retry.errors: \"gone\" is not an error class. Use timeout,"
            + " network, 4xx, 5xx, rejected, expression, callback_expired, child_failed, too_large,"
            + " limit, all");
  }

  @Test
  void theErrorOfAFailStepInside() {
    assertThat(
            problems(
                steps(
                    "- name: a",
                    "  type: map",
                    "  items: lines",
                    "  steps: [{ name: f, type: fail, error: sold_out }]",
                    "  catch: [{ errors: [sold_out], next: b }]",
                    "- { name: b, " + STEP + " }")))
        .isEmpty();
  }

  @Test
  void anErrorThatIsNeverRetried() {
    finds(
        steps("- { name: a, " + STEP + ", retry: { max: 1, errors: [expression, 5xx] } }"),
        "4: workflows.order.steps[0].retry.errors: expression is never retried; remove it, or"
            + " use catch");
  }

  @Test
  void aCatchAfterAll() {
    finds(
        steps(
            "- { name: a, " + STEP + ", catch: [{ next: b }, { errors: [5xx], next: b }] }",
            "- { name: b, " + STEP + " }"),
        "4: workflows.order.steps[0].catch[1]: is never used: catch[0] has all; put it before"
            + " that one");
  }

  @Test
  void aChoice() {
    finds(
        steps(
            "- { name: a, type: choice }",
            "- { name: b, type: choice, choices: [{ when: x, next: a }], default: b }"),
        "4: workflows.order.steps[0]: choices is required for steps of the type choice; add"
            + " choices: [{ when: 'total > 1000', next: approve }]",
        "5: workflows.order.steps[1].default: default leads to the step itself; a choice changes"
            + " nothing, so it would repeat forever. Use another step");
  }

  @Test
  void aWait() {
    finds(
        steps(
            "- { name: a, type: wait }",
            "- { name: b, type: wait, duration: 1h, timestamp: '2027-01-31T12:00:00Z' }",
            "- { name: c, type: wait, timestamp: tomorrow }"),
        "4: workflows.order.steps[0]: needs exactly one of duration, timestamp and expression; it"
            + " has none",
        "5: workflows.order.steps[1]: needs exactly one of duration, timestamp and expression;"
            + " remove timestamp",
        "6: workflows.order.steps[2].timestamp: \"tomorrow\" is not a time; use"
            + " 2027-01-31T12:00:00Z");
  }

  @Test
  void aResultPath() {
    finds(
        steps(
            "- { name: a, " + STEP + ", result_path: reservation }",
            "- { name: b, " + STEP + ", result_path: null }",
            "- { name: c, " + STEP + ", result_path: $.a.b }"),
        "4: workflows.order.steps[0].result_path: \"reservation\" is not a result path; use $,"
            + " $.name, $.name.other or null");
  }

  @Test
  void compensateAndFinally() {
    finds(
        order(
            "steps: [{ name: a, " + STEP + ", compensate: relaese }]",
            "finally: a",
            "handlers:",
            "  - { name: release, " + STEP + " }",
            "  - { name: both, type: parallel, branches: [{ name: c, steps: [{ name: d, "
                + STEP
                + " }] }] }"),
        "3: workflows.order.steps[0].compensate: the handler \"relaese\" does not exist. Did you"
            + " mean release?",
        "4: workflows.order.finally: the step \"a\" is not a handler; move it to handlers",
        "6: workflows.order.handlers[0]: the handler \"release\" is not used by compensate or"
            + " finally; use it, or remove it",
        "7: workflows.order.handlers[1]: the handler \"both\" is not used by compensate or"
            + " finally; use it, or remove it",
        "7: workflows.order.handlers[1].type: a handler cannot have the type parallel; use http,"
            + " wait, callback, workflow, send, transform");
  }

  @Test
  void aSecret() {
    finds(
        order(
            "secrets: { STOCK: abc }",
            "steps:",
            "  - { name: a, " + STEP + ", headers: { x-a: '{{secrets.PAY}}' } }",
            "  - { name: b, " + STEP + ", headers: { authorization: Bearer abc } }",
            "  - { name: c, type: http, url: 'https://example.com/{{secrets.STOCK}}' }",
            "  - { name: d, " + STEP + ", signing: standard }",
            "  - { name: e, " + STEP + ", signing: standard, signing_secret: abc }"),
        "5: workflows.order.steps[0].headers.x-a: secrets.PAY is not defined; add secrets: {"
            + " PAY: \"${PAY}\" }",
        "6: workflows.order.steps[1].headers.authorization: authorization may carry a"
            + " credential; write {{secrets.NAME}} and put the value under secrets",
        "7: workflows.order.steps[2].url: secrets may be used only in headers and"
            + " signing_secret; move {{secrets.STOCK}} to a header",
        "8: workflows.order.steps[3].signing: needs signing_secret; add signing_secret:"
            + " \"{{secrets.NAME}}\" and put the value under secrets",
        "9: workflows.order.steps[4].signing_secret: must be {{secrets.NAME}}; put the value"
            + " under secrets");
  }

  @Test
  void aHeaderThatTheServerSets() {
    finds(
        steps("- { name: a, " + STEP + ", headers: { Idempotency-Key: '1', webhook-id: '2' } }"),
        "4: workflows.order.steps[0].headers.Idempotency-Key: is set by the server, the same for"
            + " all attempts of a step; remove it",
        "4: workflows.order.steps[0].headers.webhook-id: this header is set by Postrider or by"
            + " the HTTP connection; choose another name");
  }

  @Test
  void aTemplate() {
    finds(
        steps(
            "- { name: a, type: http, url: 'https://{{ host }}/a' }",
            "- { name: b, type: http, url: 'https://example.com{{ path }}' }",
            "- { name: c, type: http, url: 'https://example.com/{{ path' }"),
        "4: workflows.order.steps[0].url: the host of a URL cannot be computed; move {{…}}"
            + " behind the host",
        "5: workflows.order.steps[1].url: the host of a URL cannot be computed; move {{…}}"
            + " behind the host",
        "6: workflows.order.steps[2].url: has {{ at position 20 without }}; close it");
  }

  @Test
  void aUrl() {
    finds(
        steps("- { name: a, type: http, url: 'ftp://example.com' }"),
        "4: workflows.order.steps[0].url: must be an http:// or https:// URL, such as"
            + " https://example.com/hook");
    assertThat(
            read(steps("- { name: a, type: http, url: 'https://example.com/{{ id }}?a=1' }"))
                .document()
                .workflows())
        .hasSize(1);
  }

  @Test
  void parameters() {
    List<String> found =
        problems(
            order(
                "params:",
                "  limit: { type: integer, default: ten }",
                "  day: { schema: { type: nonsense } }",
                "steps: [{ name: a, " + STEP + " }]"));
    assertThat(found).hasSize(2);
    assertThat(found.get(0))
        .isEqualTo(
            "4: workflows.order.params.limit.default: \"ten\" is not an integer; use an integer,"
                + " or change type");
    assertThat(found.get(1))
        .startsWith("5: workflows.order.params.day.schema: is not a JSON Schema");
  }

  @Test
  void triggers() {
    String step = "steps: [{ name: a, " + STEP + " }]";
    finds(
        "sources: { shop: { verify: none } }\n" + order("source: shop", "application: acme", step),
        "3: workflows.order: has both source and application; remove one of the two");
    finds(
        "sources: { shop: { verify: none } }\n" + order("source: shp", step),
        "4: workflows.order.source: the source shp is not defined in this file. Did you mean"
            + " shop?");
    finds(
        order("events: [a.b]", "filter: total > 1", step),
        "3: workflows.order.events: events needs source or application; add one of them, or"
            + " remove it",
        "4: workflows.order.filter: filter needs source or application; add one of them, or"
            + " remove it");
    assertThat(problems(order("cron: { schedule: '61 * * * *' }", step)).getFirst())
        .startsWith("3: workflows.order.cron.schedule: ");
  }

  @Test
  void aRequiredParameterAtCron() {
    finds(
        order(
            "cron: { schedule: '0 2 * * *' }",
            "params: { day: { type: string, required: true } }",
            "steps: [{ name: a, " + STEP + " }]"),
        "3: workflows.order.cron: params.day is required, and cron gives no input; add"
            + " cron.input, or a default");
    finds(
        order(
            "cron: { schedule: '0 2 * * *', input: { day: 7 } }",
            "params: { day: { type: string, required: true } }",
            "steps: [{ name: a, " + STEP + " }]"),
        "3: workflows.order.cron.input: params.day must be a string in the input of cron");
  }

  @Test
  void limits() {
    String many =
        IntStream.range(0, 251)
            .mapToObj(n -> "{ name: s" + n + ", type: transform, expression: a }")
            .collect(Collectors.joining(", "));
    finds(
        order(
            "timeout: 400d",
            "steps:",
            "  - name: one",
            "    type: map",
            "    items: a",
            "    max_concurrency: 500",
            "    steps: [" + many + "]",
            "  - { name: two, type: map, items: a, steps: ["
                + many.replace("name: s", "name: t")
                + "] }"),
        "3: workflows.order.timeout: is 400d; must be a duration from 1s to 365d, such as 30s",
        "5: workflows.order.steps: has 504 steps; at most 500",
        "8: workflows.order.steps[0].max_concurrency: is 500; must be a whole number from 1 to"
            + " 100");
    String deep = "{ name: s10, type: transform, expression: a }";
    for (int n = 9; n >= 0; n--) {
      deep = "{ name: s" + n + ", type: map, items: a, steps: [" + deep + "] }";
    }
    assertThat(problems(steps("- " + deep)))
        .hasSize(1)
        .first()
        .asString()
        .contains("is 11 deep; at most 10");
  }

  @Test
  void theExampleOfAnOrderIsAccepted() {
    String yaml =
        """
        sources: { shop: { verify: none } }
        workflows:
          order:
            source: shop
            events: [order.created]
            timeout: 1h
            steps:
              - { name: reserve, type: http, url: https://stock.example.com/reserve, result_path: $.reservation, retry: { max: 3, errors: [5xx, network] }, compensate: release }
              - { name: size, type: choice, choices: [ { when: 'total > 1000', next: approve } ], default: charge }
              - { name: approve, type: callback, timeout: 30m, url: https://people.example.com/ask, result_path: $.approval, catch: [ { errors: [callback_expired], next: reject } ] }
              - { name: charge, type: http, url: https://pay.example.com/charge, end: true }
              - { name: reject, type: fail, error: not_approved }
            handlers:                                   # reached only by compensate and finally; their `next` is ignored
              - { name: release, type: http, url: https://stock.example.com/release }
        """;
    assertThat(problems(yaml)).isEmpty();
    Definition order = definition(yaml);
    assertThat(order.steps())
        .extracting(Step::name)
        .containsExactly("reserve", "size", "approve", "charge", "reject", "release");
    assertThat(order.main().steps()).containsExactly(0, 1, 2, 3, 4);
    assertThat(order.start().trigger())
        .isEqualTo(new Start.Trigger(true, "shop", List.of("order.created")));
    assertThat(order.step(0).common().compensate()).isEqualTo(5);
    assertThat(order.step(0).retry().max()).isEqualTo(3);
    assertThat(order.step(1))
        .isInstanceOfSatisfying(
            Step.Choice.class,
            size -> {
              assertThat(size.options()).containsExactly(new Step.Choice.Option("total > 1000", 2));
              assertThat(size.otherwise()).isEqualTo(3);
            });
    assertThat(order.step(2).common().catches())
        .containsExactly(new Catch(List.of("callback_expired"), 4));
    assertThat(order.step(2).common().next()).isEqualTo(3);
    assertThat(order.step(3).common().next()).isNull();
  }
}
