package dev.postrider.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.postrider.evaluation.EvaluationLimits;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.testkit.Signals;
import dev.postrider.time.SystemTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values, errors with their places, and every limit. */
final class ExpressionsTest {
  private static final SystemTime TIME = new SystemTime();

  private Evaluator evaluator = new Evaluator(EvaluationLimits.DEFAULT, TIME);
  private Expressions expressions = with(ExpressionLimits.DEFAULT);

  private Expressions with(ExpressionLimits limits) {
    return new JsonataExpressions(limits, evaluator, TIME);
  }

  private void limitTo(Duration time) {
    evaluator.close();
    evaluator = new Evaluator(EvaluationLimits.DEFAULT.withTime(time), TIME);
    expressions = with(ExpressionLimits.DEFAULT);
  }

  @AfterEach
  void close() {
    evaluator.close();
  }

  private static Map<String, Object> context(String payload) {
    Map<String, Object> context = new LinkedHashMap<>();
    context.put("payload", JsonBytes.read(payload.getBytes(StandardCharsets.UTF_8), true));
    context.put("event_type", "push");
    return context;
  }

  private String json(String text, String payload) {
    Value value = expressions.evaluate(text, context(payload));
    assertThat(value).isInstanceOf(Value.Plain.class);
    return new String(
        JsonBytes.write(((Value.Plain) value).value(), 1_000_000), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "payload.n + 1 | 6",
        "payload.n / 2 | 2.5",
        "payload.big | 12345678901234567890",
        "payload.exact | 9007199254740993",
        "payload |"
            + " {\"n\":5,\"list\":[1,2,3],\"none\":null,\"big\":12345678901234567890,\"exact\":9007199254740993}",
        "payload.list[$ > 1] | [2,3]",
        "{\"a\": payload.none, \"b\": [payload.n]} | {\"a\":null,\"b\":[5]}",
        "payload.none | null",
        "event_type = \"push\" and payload.n > 4 | true",
        "$contains(event_type, /^pu/) | true",
        "$replace(event_type, /u./, \"x\") | \"pxh\"",
        "$split(\"a-b\", \"-\") | [\"a\",\"b\"]",
        "$match(\"ab12\", /[0-9]+/).match | \"12\"",
        "$pad(\"7\", -3, \"0\") | \"007\"",
        "$join([\"a\",\"b\"], \",\") | \"a,b\"",
        "$sum(payload.list) | 6",
        "$parse('{\"a\":[1,null,\"x\"]}').a | [1,null,\"x\"]",
        "$parse('[{\"n\":1},{\"n\":2}]')[n = 2].n | 2",
        "$parse('12345678901234567890') | 12345678901234567890",
        "$parse('null') | null",
        "$exists($parse(payload.missing)) | false"
      })
  void valuesAreThoseOfTheLanguage(String text, String expected) {
    assertThat(
            json(
                text,
                """
                {"n":5,"list":[1,2,3],"none":null,"big":12345678901234567890,"exact":9007199254740993}\
                """))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{", "{} {}", "", "x", "{'a':1}"})
  void onlyASingleJsonValueIsParsed(String text) {
    String expression = "$parse(payload.text)";
    Map<String, Object> context = context("{}");
    context.put("payload", Map.of("text", text));
    assertThatThrownBy(() -> expressions.evaluate(expression, context))
        .isInstanceOf(ExpressionFailed.class)
        .hasMessageContaining("$parse");
  }

  @Test
  void parsedJsonHasTheLimitsOfAnyOtherValue() {
    Map<String, Object> context = context("{}");
    context.put("payload", Map.of("text", "[".repeat(5_000) + "]".repeat(5_000)));
    assertThatThrownBy(() -> expressions.evaluate("$parse(payload.text)", context))
        .isInstanceOf(ExpressionFailed.class);
    String quoted = "$reduce([1..9], function($all) { $append($all, $parse(payload.text)) }, [])";
    context.put("payload", Map.of("text", "[" + "1,".repeat(99_999) + "1]"));
    assertThatThrownBy(() -> expressions.evaluate(quoted, context))
        .isInstanceOf(ExpressionFailed.class);
  }

  @Test
  void aMissingValueIsNotNull() {
    assertThat(expressions.evaluate("payload.nowhere", context("{}")))
        .isInstanceOf(Value.Absent.class);
    assertThat(json("payload", "null")).isEqualTo("null");
  }

  @Test
  void aPayloadThatIsNoJsonIsAText() {
    assertThat(JsonBytes.read("a=1&b=2".getBytes(StandardCharsets.UTF_8), false))
        .isEqualTo("a=1&b=2");
    assertThat(JsonBytes.read("{broken".getBytes(StandardCharsets.UTF_8), true))
        .isEqualTo("{broken");
  }

  @Test
  void requestsAndCancelsAreMarked() {
    assertThat(expressions.evaluate("payload.n = 5 ? $cancel() : payload", context("{\"n\":5}")))
        .isInstanceOf(Value.Cancel.class);
    Value request =
        expressions.evaluate(
            "$request({\"body\": payload.n, \"path\": \"/x\"})", context("{\"n\":5}"));
    assertThat(((Value.Request) request).parts())
        .containsEntry("body", 5)
        .containsEntry("path", "/x");
  }

  @Test
  void theClockIsOurs() {
    assertThat(json("$millis() > 1700000000000", "{}")).isEqualTo("true");
    String first = json("$now()", "{}");
    assertThat(first).startsWith("\"20").endsWith("Z\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "payload.n + | 11 | 1 | 12",
        "(payload.n | 10 | 1 | 11",
        "payload.~  n +~ @ | 17 | 3 | 3",
        "\"abc | 4 | 1 | 5",
      })
  void anInvalidTextIsRefusedWithItsPlace(String text, int offset, int line, int column) {
    InvalidExpression refused =
        catchThrowableOfType(
            InvalidExpression.class, () -> expressions.check(text.replace('~', '\n')));
    assertThat(refused.place()).isEqualTo(new Place(offset, line, column));
    assertThat(refused).hasMessageStartingWith("line " + line + ", column " + column + ": ");
  }

  @Test
  void textsThatAreEmptyLongOrDeepAreRefused() {
    assertThatThrownBy(() -> expressions.check("  ")).isInstanceOf(InvalidExpression.class);
    assertThatThrownBy(() -> expressions.check("1+".repeat(10_000) + "1"))
        .hasMessageContaining("at most 16384 characters");
    assertThatThrownBy(
            () -> expressions.evaluate("(".repeat(7_000) + "1" + ")".repeat(7_000), Map.of()))
        .isInstanceOf(ExpressionFailed.class);
    expressions.check("payload.a");
  }

  @Test
  void anErrorNamesItsPlace() {
    assertThatThrownBy(() -> expressions.evaluate("payload + 1", context("\"text\"")))
        .isInstanceOf(ExpressionFailed.class)
        .hasMessageContaining("line 1, column 9: The left side of the \"+\" operator");
    assertThatThrownBy(() -> expressions.evaluate("$nope(1)", context("1")))
        .hasMessageStartingWith("line 1, column ");
    assertThatThrownBy(() -> expressions.evaluate("$number(\"abc\")", context("1")))
        .isInstanceOf(ExpressionFailed.class);
    assertThatThrownBy(() -> expressions.evaluate("$eval(\"1\")", context("1")))
        .isInstanceOf(ExpressionFailed.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "($f := function($n){ $f($n+1) }; $f(1))",
        "($f := function($n){ $n = 0 ? 1 : $f($n-1) + $f($n-1) }; $f(40))",
        "($s := $pad(\"\", 1000000, \"a\"); $match($s, /a.*b|a/))",
        "($s := $pad(\"\", 1000000, \"a\"); $replace($s, /(a|b){1000}c/, \"\"))",
        "($s := $pad(\"\", 1000000, \"a\"); $s ~> /(a|b){1000}c/)",
      })
  void whatTakesTooLongIsEnded(String text) {
    limitTo(Duration.ofMillis(200));
    assertThatThrownBy(() -> expressions.evaluate(text, context("{}")))
        .isInstanceOf(ExpressionFailed.class)
        .hasMessageMatching(
            "the evaluation (used more than 200 ms of processor time|needs more than 64 MB of memory)");
    assertThat(json("1", "{}")).isEqualTo("1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "($f := function($s){ $f($s & $s) }; $f(\"0123456789\"))",
        "[1..9999999].{\"x\":$}",
        "$pad(\"x\", 2000000000)",
        "($s := $pad(\"x\", 900); $join([1..1000].$s))",
        "($s := $pad(\"\", 9000, \"x\"); $replace($s, \"x\", $s))",
        "($s := $pad(\"\", 9000, \"x\"); $replace($s, /x/, $s))",
        "($f := function($n){ 1 + $f($n+1) }; $f(1))",
        "($f := function($a){ $f($append($a, $a)) }; $f([1,2,3]))",
      })
  void whatGrowsTooFarIsEnded(String text) {
    expressions = with(ExpressionLimits.DEFAULT.withOutputBytes(100_000));
    assertThatThrownBy(() -> expressions.evaluate(text, context("{}")))
        .isInstanceOf(ExpressionFailed.class)
        .hasMessageMatching(".*(longer than 100000|deeper than 300|more than 100000 items).*");
  }

  @Test
  void aResultThatIsTooBigOrNoJsonIsRefused() {
    assertThatThrownBy(() -> JsonBytes.write(List.of("x".repeat(100)), 50))
        .hasMessageContaining("larger than 50 bytes");
    assertThatThrownBy(() -> json("{\"f\": $sum}", "{}")).hasMessageContaining("function");
    List<Object> knot = new ArrayList<>();
    knot.add(knot);
    assertThatThrownBy(() -> JsonBytes.write(knot, 1_000_000)).hasMessageContaining("deeper");
  }

  /** They made threads hang, or took all memory: within one step that nothing could end. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "$string($big)",
        "$string($big, true)",
        "$big = $big",
        "$count($big.**)",
        "$distinct([$big, $big])",
        "$big ~> |a|{\"c\": 1}|",
        "\"\" & $big",
        "$map([1..90000], function($n){ $pad(\"\", 1000000, \"x\") })",
        "$fromMillis(0, \"[Y,1000000000]\")",
        "$now(\"[Y,1000000000]\")",
        "$toMillis(\"111111111111111111111111111111111111x\", \"[f][f][f][f][f][f][f][f][f]\")",
        "$toMillis(\"11111111111111111111x\", \"[f]1[f]1[f]1[f]1[f]1[f]1[f]1[f]\")",
        "($s := $pad(\"\", 500000, \"a\"); $substringBefore($s & $s, $s & \"b\"))",
        "($s := $pad(\"\", 500000, \"a\"); $contains($s & $s, $s & \"b\"))",
        "$round(1.5, 100000000)",
      })
  void noStepTakesForEver(String text) {
    String big =
        "($f := function($n, $v){ $n = 0 ? $v : $f($n - 1, {\"a\": $v, \"b\": $v}) };"
            + " $big := $f(40, 1); %s)";
    assertThatThrownBy(
            () ->
                expressions.evaluate(
                    text.contains("$big") ? big.formatted(text) : text, context("{}")))
        .isInstanceOf(ExpressionFailed.class);
    assertThat(evaluator.overdue()).isZero();
    assertThat(evaluator.busyThreads()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "($m := \"xaya\" ~> /a/; [$m.match, $m.start, $m.end, $m.next().start]) | [\"a\",1,2,3]",
        "/a(b)?/(\"ab\").groups | [\"b\"]",
        "$match(\"ab ac\", /a(.)/).groups | [\"b\",\"c\"]",
        "$match(\"ab ac\", /a(.)/, 1).match | \"ab\"",
        "$match(\"AxB\", /X/i).index | 1",
        "$contains(\"abc\", /^b/) | false",
        "$contains(\"a\\nb\", /^b/m) | true",
        "$contains(\"é\", /\\u00e9/) | true",
        "$contains(\"😀\", /^\\ud83d\\ude00$/) | true",
        "$split(\"a1b2c\", /[0-9]/) | [\"a\",\"b\",\"c\"]",
        "$split(\"a1b2c\", /[0-9]/, 2) | [\"a\",\"b\"]",
        "$split(\",a,\", \",\") | [\"\",\"a\",\"\"]",
        "$split(\"abc\", \"\") | [\"a\",\"b\",\"c\"]",
        "$replace(\"John Smith\", /(\\w+)\\s(\\w+)/, \"$2, $1 $0 $$\") | \"Smith, John John Smith"
            + " $\"",
        "$replace(\"abab\", /a/, function($m){ $m.match & $m.start }) | \"a0ba2b\"",
        "$replace(\"a.b.c\", \".\", \"$1\", 1) | \"a$1b.c\"",
        "$replace(\"aaa\", /a/, \"b\", 2) | \"bba\"",
        "$substringBefore(\"a-b\", \"-\") & $substringAfter(\"a-b\", \"-\") | \"ab\"",
        "$string({\"a\": 1}, true) | ^\"{\\n  \\\"a\\\": 1\\n}\"^",
        "$round(2.345, 2) | 2.34",
        "$pad(\"é\", -3, \"#+\") & $pad(\"a\", 3) & \".\" | \"#+éa  .\"",
        "$spread([{\"a\": 1, \"b\": 2}, {\"c\": null}, 4]) | [{\"a\":1},{\"b\":2},{\"c\":null},4]",
        "$toMillis(\"20240102 03:04\", \"[Y0001][M01][D01] [H01]:[m01]\") | 1704164640000",
        "$toMillis(\"2024-01-02T03:04:05Z\") | 1704164645000",
        "$fromMillis(0, \"[Y]-[M01]\") | \"1970-01\"",
      })
  void textsAreSearchedAsTheLanguageSays(String text, String expected) {
    assertThat(json(text, "{}")).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"(?=a)", "(?<!a)b", "(a)\\1", "(?>a)", "a*+", "((a{100}){100}){100}"})
  void aPatternThatCannotRunInLinearTimeIsRefusedByName(String pattern) {
    assertThatThrownBy(() -> expressions.check("$contains(payload, /" + pattern + "/)"))
        .isInstanceOf(InvalidExpression.class)
        .hasMessageContaining("\"" + pattern + "\" is not supported");
  }

  @Test
  void oneOwnerDoesNotDelayOthers() throws Exception {
    limitTo(Duration.ofMillis(200));
    Expressions greedy = expressions.ownedBy("greedy");
    Expressions modest = expressions.ownedBy("modest");
    String endless = "($f := function($n){ $n = 0 ? 1 : $f($n-1) + $f($n-1) }; $f(40))";
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Value>> slow = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        slow.add(callers.submit(() -> greedy.evaluate(endless, Map.of())));
      }
      Signals.poll("six wait", () -> evaluator.waiting() >= 6);
      assertThat(modest.evaluate("1", Map.of())).isEqualTo(new Value.Plain(1));
      assertThat(slow).anyMatch(future -> !future.isDone());
      for (Future<Value> one : slow) {
        assertThatThrownBy(one::get).hasCauseInstanceOf(ExpressionFailed.class);
      }
    }
  }

  @Test
  void manyCallersGetTheirOwnValues() throws Exception {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<String>> calls = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        int n = i;
        calls.add(
            () ->
                json(
                    "($x := payload.n; $map([1,2], function($v){ $v * $x + " + n % 7 + " }))",
                    "{\"n\":" + n + "}"));
      }
      List<Future<String>> answers = callers.invokeAll(calls);
      for (int n = 0; n < answers.size(); n++) {
        int first = n + n % 7;
        int second = 2 * n + n % 7;
        assertThat(answers.get(n).get()).isEqualTo("[" + first + "," + second + "]");
      }
    }
  }
}
