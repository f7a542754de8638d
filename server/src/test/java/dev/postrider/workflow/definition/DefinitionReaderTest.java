package dev.postrider.workflow.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.configfile.ConfigurationFile;
import dev.postrider.configfile.ConfigurationText;
import dev.postrider.field.FieldValues;
import dev.postrider.id.Id;
import dev.postrider.testkit.FieldSamples;
import dev.postrider.workflow.data.CanonicalJson;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ResultPath;
import dev.postrider.workflow.data.TextTemplate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a definition reads as, and what it is stored as. */
final class DefinitionReaderTest {
  private static final String ALL =
      """
      workflows:
        all:
          application: acme
          events: [order.*]
          filter: total > 0
          cron: { schedule: 0 2 * * *, timezone: Europe/Berlin, overlap: allow, missed: skip, input: { day: [1, null] } }
          params: { day: { type: array, required: true }, limit: { type: integer, default: 10 } }
          timeout: 2h
          compensation_timeout: 5m
          max_visits: 7
          secrets: { PAY: abc, SIGN: whsec_abc }
          mask: [iban]
          steps:
            - name: call
              type: http
              url: https://example.com/{{ id }}
              method: PUT
              headers: { authorization: 'Bearer {{secrets.PAY}}', x-id: '{{ id }}' }
              body: "{ 'a': 1 }"
              signing: standard
              signing_secret: '{{secrets.SIGN}}'
              request_timeout: 3s
              throttle: 5
              throttle_burst: 6
              throttle_period: minute
              max_in_flight: 2
              input: order
              result_path: $.a.b
              output: $result
              timeout: 1m
              retry: { max: 4, errors: [5xx], delay: 2s, factor: 3, max_delay: 9s }
              on_failure: continue
              catch: [{ errors: [timeout], next: stop }]
              compensate: undo
            - name: both
              type: parallel
              timeout: 1m
              branches:
                - { name: one, steps: [{ name: b1, type: transform, expression: a, result_path: null }] }
                - { name: two, steps: [{ name: b2, type: send, application: acme, event_type: a.b, event_id: x, payload: y, channels: [c], tags: [t] }] }
            - name: each
              type: map
              items: lines
              max_concurrency: 3
              on_item_failure: collect
              steps: [{ name: m1, type: workflow, workflow: other, timeout: 1m, retry: { max: 1 } }, { name: m2, type: succeed, output: $item }]
            - { name: w1, type: wait, duration: 1h }
            - { name: w2, type: wait, timestamp: '2027-01-31T12:00:00+01:00' }
            - { name: w3, type: wait, expression: until }
            - { name: ask, type: callback }
            - { name: stop, type: fail, error: no_stock, message: none left }
          handlers:
            - { name: undo, type: http, url: https://example.com/undo, retry: { max: 2 } }
            - { name: last, type: transform, expression: $ }
          finally: last
        other: { steps: [{ name: a, type: succeed }] }
      """;

  private static FieldValues all() {
    return ConfigurationFile.read(
            new ConfigurationText(
                new ConfigurationText.Part("postrider.yaml", ALL), null, null, null),
            Map.of())
        .document()
        .workflows()
        .getFirst()
        .values()
        .stored();
  }

  @Test
  void theWholeDefinition() {
    Definition all = DefinitionReader.read(all());
    assertThat(all.name()).isEqualTo("all");
    assertThat(all.start())
        .isEqualTo(
            new Start(
                new Start.Trigger(false, "acme", List.of("order.*")),
                "total > 0",
                new Start.Cron(
                    "0 2 * * *",
                    "Europe/Berlin",
                    true,
                    false,
                    JsonValue.ofJson("{\"day\":[1,null]}"))));
    assertThat(all.params().params())
        .containsExactly(
            new Params.Param("day", Params.Type.ARRAY, true, null, null),
            new Params.Param("limit", Params.Type.INTEGER, false, JsonValue.ofJson("10"), null));
    assertThat(all.timeout()).isEqualTo(Duration.ofHours(2));
    assertThat(all.compensationTimeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(all.maxVisits()).isEqualTo(7);
    assertThat(all.masking().names()).containsExactly("iban");
    assertThat(all.steps())
        .extracting(Step::name)
        .containsExactly(
            "call", "both", "b1", "b2", "each", "m1", "m2", "w1", "w2", "w3", "ask", "stop", "undo",
            "last");
    assertThat(all.steps()).extracting(Step::number).isSorted().hasSize(14);
    assertThat(all.main().steps()).containsExactly(0, 1, 4, 7, 8, 9, 10, 11);
    assertThat(all.finallyStep()).isEqualTo(13);
  }

  @Test
  void eachStep() {
    Definition all = DefinitionReader.read(all());
    assertThat(all.step(0))
        .isEqualTo(
            new Step.Http(
                new Common(
                    0,
                    "call",
                    1,
                    "order",
                    new ResultPath(List.of("a", "b")),
                    "$result",
                    true,
                    List.of(new Catch(List.of("timeout"), 11)),
                    12),
                new Request(
                    TextTemplate.parse("https://example.com/{{ id }}"),
                    "PUT",
                    Map.of(
                        "authorization",
                        TextTemplate.parse("Bearer {{secrets.PAY}}"),
                        "x-id",
                        TextTemplate.parse("{{ id }}")),
                    "{ 'a': 1 }",
                    TextTemplate.parse("{{secrets.SIGN}}"),
                    Duration.ofSeconds(3),
                    new Request.Limits(5, 6, true, 2)),
                Duration.ofMinutes(1),
                new Retry(
                    4,
                    Set.of(ErrorClass.SERVER),
                    Duration.ofSeconds(2),
                    3,
                    Duration.ofSeconds(9))));
    assertThat(all.step(1))
        .isEqualTo(
            new Step.Parallel(
                plain(1, "both", 4, ResultPath.WHOLE),
                List.of(
                    new Step.Parallel.Branch("one", new Block(List.of(2))),
                    new Step.Parallel.Branch("two", new Block(List.of(3)))),
                Duration.ofMinutes(1)));
    assertThat(all.step(2))
        .isEqualTo(new Step.Transform(plain(2, "b1", null, ResultPath.NONE), "a"));
    assertThat(all.step(3))
        .isEqualTo(
            new Step.Send(
                plain(3, "b2", null, ResultPath.WHOLE),
                "acme",
                "a.b",
                "x",
                "y",
                List.of("c"),
                List.of("t")));
    assertThat(all.step(4))
        .isEqualTo(
            new Step.MapItems(
                plain(4, "each", 7, ResultPath.WHOLE),
                "lines",
                new Block(List.of(5, 6)),
                3,
                true,
                null));
    assertThat(all.step(5))
        .isEqualTo(
            new Step.Child(
                plain(5, "m1", 6, ResultPath.WHOLE),
                "other",
                Duration.ofMinutes(1),
                new Retry(
                    1,
                    Set.of(ErrorClass.ALL),
                    Retry.DEFAULT_FIRST,
                    Retry.DEFAULT_FACTOR,
                    Retry.DEFAULT_MOST)));
    assertThat(all.step(6).common().output()).isEqualTo("$item");
    assertThat(((Step.Wait) all.step(7)).until()).isEqualTo(new Step.Wait.For(Duration.ofHours(1)));
    assertThat(((Step.Wait) all.step(8)).until())
        .isEqualTo(new Step.Wait.At(Instant.parse("2027-01-31T11:00:00Z")));
    assertThat(((Step.Wait) all.step(9)).until()).isEqualTo(new Step.Wait.Computed("until"));
    assertThat(all.step(10))
        .isEqualTo(
            new Step.Callback(
                plain(10, "ask", 11, ResultPath.WHOLE), Duration.ofHours(24), null, Retry.NONE));
    assertThat(all.step(11))
        .isEqualTo(
            new Step.Fail(plain(11, "stop", null, ResultPath.WHOLE), "no_stock", "none left"));
    assertThat(all.step(12).common().next()).as("a handler runs alone").isNull();
  }

  private static Common plain(int number, String name, @Nullable Integer next, ResultPath path) {
    return new Common(number, name, next, null, path, null, false, List.of(), null);
  }

  @Test
  void theStoredTextIsTheSameDefinitionWithoutSecrets() {
    String text = DefinitionReader.canonical(all());
    assertThat(text).doesNotContain("whsec_abc", "abc\"").contains("{{secrets.PAY}}");
    Definition stored = DefinitionReader.stored(text, new Id(1, 2), 3);
    assertThat(stored).isEqualTo(DefinitionReader.read(all()).stored(new Id(1, 2), 3));
    assertThat(CanonicalJson.write(JsonValue.ofJson(text).tree())).isEqualTo(text);
    assertThat(DefinitionReader.canonical(DefinitionReader.values(text))).isEqualTo(text);
  }

  @Test
  void everyFieldIsStored() {
    FieldValues workflow = FieldSamples.of(WorkflowFields.ALL);
    assertThat(DefinitionReader.values(DefinitionReader.canonical(workflow))).isEqualTo(workflow);
  }

  @Test
  void aDefaultThatIsWrittenOutMakesNoOtherText() {
    String written = ALL.replace("method: PUT", "method: PUT\n        end: false");
    assertThat(written).isNotEqualTo(ALL);
    FieldValues values =
        ConfigurationFile.read(
                new ConfigurationText(
                    new ConfigurationText.Part("postrider.yaml", written), null, null, null),
                Map.of())
            .document()
            .workflows()
            .getFirst()
            .values()
            .stored();
    assertThat(DefinitionReader.canonical(values)).isEqualTo(DefinitionReader.canonical(all()));
  }
}
