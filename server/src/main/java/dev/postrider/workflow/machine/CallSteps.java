package dev.postrider.workflow.machine;

import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.TextTemplate;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.definition.Common;
import dev.postrider.workflow.definition.ErrorClass;
import dev.postrider.workflow.definition.Request;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.machine.RowInfo.Detail;
import dev.postrider.workflow.machine.RunState.LiveStep;
import dev.postrider.workflow.machine.RunState.Scope;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Steps that wait for something outside the run: an answer, a call, a time, another run. */
final class CallSteps {
  private static final Duration MAX_WAIT = Duration.ofDays(365);
  private static final Duration MAX_RETRY_AFTER = Duration.ofHours(24);
  private static final Pattern DURATION = Pattern.compile("(\\d{1,12})\\s*(ms|s|m|h|d)");
  private static final String PLACEHOLDER = "{{token}}";
  private static final int MAX_HEADER = 4_096;

  private final Work work;
  private final StepEnds ends;

  CallSteps(Work work, StepEnds ends) {
    this.work = work;
    this.ends = ends;
  }

  // HTTP

  void http(Scope scope, Step.Http step, Consumer<RowInfo.Builder> details) {
    JsonValue body;
    RunEffect.CallRequest request;
    try {
      JsonValue input = work.input(step.common(), scope);
      body = body(step.request(), scope, input);
      request = request(step, step.request(), scope, input);
    } catch (Work.Failure e) {
      failAtOnce(HistoryKind.STEP_SCHEDULED, scope, step, details, e.error());
      return;
    }
    Id id = work.facts.newId();
    Work.Draft row = work.begin(HistoryKind.STEP_SCHEDULED, scope, step.number()).call(id);
    details.accept(row.info());
    row.info().put(Detail.REQUEST, json(request));
    due(row, work.dueMs(scope, step.timeout()));
    // The request is sent from the history, where an item of a map is only a part of a value.
    JsonValue stored =
        body == null && scope.data().item() != null ? work.value(scope.data()) : body;
    int seq = row.values(Work.inputOrData(stored, scope.data())).append();
    work.effects.add(
        new RunEffect.Call(
            seq, id, step.number(), request, stored == null ? scope.data() : ValueRef.data(seq)));
  }

  private @Nullable JsonValue body(Request request, Scope scope, @Nullable JsonValue input) {
    return request.body() == null
        ? input
        : work.evaluate(request.body(), work.orData(input, scope), scope);
  }

  private RunEffect.CallRequest request(
      Step step, Request request, Scope scope, @Nullable JsonValue input) {
    String key = work.key(scope, step.number());
    Map<String, String> headers = new LinkedHashMap<>();
    request
        .headers()
        .forEach(
            (name, template) -> {
              if (!template.expressions().isEmpty()) {
                headers.put(name, header(name, template, scope, input));
              }
            });
    return new RunEffect.CallRequest(
        key,
        request.url().expressions().isEmpty() ? null : path(request.url(), scope, input),
        headers);
  }

  /** Path and query; each computed part is encoded, so that it stays in its place. */
  private String path(TextTemplate url, Scope scope, @Nullable JsonValue input) {
    String text =
        text(
            url,
            scope,
            input,
            part -> URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20"));
    int host = text.indexOf("://");
    int path = text.indexOf('/', host < 0 ? 0 : host + 3);
    return path < 0 ? "/" : text.substring(path);
  }

  private String header(
      String name, TextTemplate template, Scope scope, @Nullable JsonValue input) {
    boolean secret = !template.secrets().isEmpty();
    String text =
        text(
            template,
            scope,
            input,
            part -> {
              // What looks like the name of a secret would be replaced by its value.
              if (secret && part.contains("{{")) {
                throw new Work.Failure(
                    ErrorClass.EXPRESSION, "headers." + name + ": must not contain {{");
              }
              return part;
            });
    if (text.length() > MAX_HEADER || text.chars().anyMatch(c -> c < ' ' || c > '~')) {
      throw new Work.Failure(
          ErrorClass.EXPRESSION,
          "headers.%s: must be at most %d printable ASCII characters".formatted(name, MAX_HEADER));
    }
    return text;
  }

  private String text(
      TextTemplate template,
      Scope scope,
      @Nullable JsonValue input,
      UnaryOperator<String> encoded) {
    StringBuilder text = new StringBuilder();
    for (TextTemplate.Part part : template.parts()) {
      switch (part) {
        case TextTemplate.Literal literal -> text.append(literal.text());
        case TextTemplate.SecretName secret ->
            text.append("{{secrets.").append(secret.name()).append("}}");
        case TextTemplate.Computed computed -> {
          JsonValue value = work.evaluate(computed.expression(), work.orData(input, scope), scope);
          text.append(encoded.apply(plain(value, computed.expression())));
        }
      }
    }
    return text.toString();
  }

  private static String plain(JsonValue value, String expression) {
    JsonNode node = value.tree();
    if (node.isObject() || node.isArray() || node.isNull()) {
      throw new Work.Failure(
          ErrorClass.EXPRESSION,
          "{{%s}} must be a string, a number or a boolean".formatted(expression));
    }
    return node.asString();
  }

  private static JsonNode json(RunEffect.CallRequest request) {
    ObjectNode node = Json.MAPPER.createObjectNode();
    node.put("key", request.key());
    if (request.path() != null) {
      node.put("path", request.path());
    }
    if (!request.headers().isEmpty()) {
      ObjectNode headers = node.putObject("headers");
      request.headers().forEach(headers::put);
    }
    return node;
  }

  private static void due(Work.Draft row, long dueMs) {
    if (dueMs != Long.MAX_VALUE) {
      row.info().put(Detail.DUE, dueMs);
    }
  }

  private void failAtOnce(
      HistoryKind kind,
      Scope scope,
      Step step,
      Consumer<RowInfo.Builder> details,
      StepError error) {
    Work.Draft row = work.begin(kind, scope, step.number());
    details.accept(row.info());
    int seq = row.values(Work.inputOrData(null, scope.data())).append();
    ends.failed(work.live(seq), StepEnds.Failed.of(error));
  }

  /** A try of the request of a step that goes on with its answer. */
  void answered(LiveStep live, Answer answer) {
    if (live.answered() != null) {
      return;
    }
    ErrorClass type = answer.errorClass();
    if (type != null) {
      failedTry(live, answer, type);
    } else if (work.step(live) instanceof Step.Callback) {
      work.row(HistoryKind.STEP_NOTIFIED, live).append();
    } else {
      result(live, answer.result());
    }
  }

  private void failedTry(LiveStep live, Answer answer, ErrorClass type) {
    Step step = work.step(live);
    int attempts = answer.failedBefore() + 1;
    StepError error =
        new StepError(
            type.word(),
            message(answer, type),
            step.name(),
            attempts,
            answer.status(),
            answer.kind() == Answer.Kind.ANSWERED && !answer.truncated() ? answer.result() : null,
            null,
            null);
    Duration delay = step.retry().delay(answer.failedBefore(), type, work.facts.random());
    if (delay != null) {
      long delayMs = Math.min(delayMs(delay, answer), Math.max(0, live.dueMs() - work.nowMs));
      Work.Draft row = work.row(HistoryKind.STEP_RETRYING, live).value(error.json());
      row.info().put(Detail.ATTEMPTS, attempts).put(Detail.RETRY_AT, work.nowMs + delayMs);
      row.append();
      work.effects.add(new RunEffect.Retry(live.seq(), delayMs));
      return;
    }
    if (step instanceof Step.Callback) {
      work.effects.add(new RunEffect.CloseCallback(live.seq()));
      ends.failed(live, StepEnds.Failed.of(error));
    } else {
      ends.failed(live, StepEnds.Failed.of(error).undone(answer.isUnknown() || answer.isSuccess()));
    }
  }

  private static long delayMs(Duration delay, Answer answer) {
    Long asked = answer.retryAfterMs();
    return asked == null
        ? delay.toMillis()
        : Math.max(delay.toMillis(), Math.min(asked, MAX_RETRY_AFTER.toMillis()));
  }

  private static String message(Answer answer, ErrorClass type) {
    if (answer.error() != null) {
      return answer.error();
    }
    if (type == ErrorClass.TOO_LARGE) {
      return "the response is larger than the limit";
    }
    return answer.status() == null
        ? "no response: " + type.word()
        : "the receiver answered with the status " + answer.status();
  }

  /** A result that cannot be applied without a thread for its expressions is stored. */
  private void result(LiveStep live, JsonValue result) {
    try {
      apply(live, result);
    } catch (Work.NoThread e) {
      work.busy = true;
      store(live, result, null);
    }
  }

  private void store(LiveStep live, JsonValue result, @Nullable String status) {
    Work.Draft row = work.row(HistoryKind.STEP_ANSWERED, live).value(result);
    row.info().put(Detail.STATUS, status);
    row.append();
  }

  private void apply(LiveStep live, JsonValue result) {
    Step step = work.step(live);
    boolean callback = step instanceof Step.Callback;
    boolean notifying = callback && live.call() != null;
    StepEnds.Done done;
    try {
      done = ends.done(step.common(), work.scope(live), live.data(), result);
    } catch (Work.Failure e) {
      ends.failed(
          live, StepEnds.Failed.of(e.error()).undone(ends.merged(live, result)).open(notifying));
      return;
    }
    ends.completed(live, done, step.common().next(), notifying);
  }

  /** Applies an answer that was stored. */
  void applyStored(LiveStep live) {
    RunState.Stored stored = Objects.requireNonNull(live.answered());
    JsonValue value = work.value(ValueRef.value(stored.seq()));
    try {
      if (stored.failed()) {
        refused(live, value);
      } else {
        apply(live, value);
      }
    } catch (Work.NoThread e) {
      work.busy = true;
    }
  }

  // Callback

  void callback(Scope scope, Step.Callback step, Consumer<RowInfo.Builder> details) {
    Request request = step.request();
    JsonValue value;
    RunEffect.CallRequest call = null;
    try {
      JsonValue input = work.input(step.common(), scope);
      if (request == null) {
        value = input;
      } else {
        JsonValue body = body(request, scope, input);
        value =
            work.limited(
                notification(body == null ? work.value(scope.data()) : body), "the notification");
        call = request(step, request, scope, input);
      }
    } catch (Work.Failure e) {
      failAtOnce(HistoryKind.STEP_WAITING, scope, step, details, e.error());
      return;
    }
    long due = work.dueMs(scope, step.timeout());
    Id id = call == null ? null : work.facts.newId();
    Work.Draft row = work.begin(HistoryKind.STEP_WAITING, scope, step.number()).call(id);
    details.accept(row.info());
    due(row, due);
    if (call != null) {
      row.info().put(Detail.REQUEST, json(call));
    }
    int seq = row.values(Work.inputOrData(value, scope.data())).append();
    work.effects.add(new RunEffect.OpenCallback(seq, due));
    if (id != null && call != null) {
      work.effects.add(new RunEffect.Call(seq, id, step.number(), call, ValueRef.data(seq)));
    }
  }

  /** The token is filled in at each send, and only in what comes before the data. */
  private JsonValue notification(JsonValue data) {
    String head =
        "{\"callback_url\":%s,\"callback_token\":\"%s\",\"data\":"
            .formatted(
                Json.MAPPER.writeValueAsString(work.facts.publicUrl() + "/callback/" + PLACEHOLDER),
                PLACEHOLDER);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(head.getBytes(StandardCharsets.UTF_8));
    out.writeBytes(data.bytes());
    out.write('}');
    return JsonValue.ofBytes(out.toByteArray());
  }

  void called(LiveStep live, RunEvent.CallbackReceived event) {
    if (live.answered() != null) {
      return;
    }
    work.effects.add(new RunEffect.CloseCallback(live.seq()));
    if (work.fold.head().paused()) {
      store(live, event.body(), event.failed() ? "failed" : null);
    } else if (event.failed()) {
      refused(live, event.body());
    } else {
      result(live, event.body());
    }
  }

  private void refused(LiveStep live, JsonValue body) {
    StepError error =
        new StepError(
            ErrorClass.REJECTED.word(),
            "the callback reported a failure",
            work.step(live).name(),
            live.attempts(),
            null,
            body,
            null,
            null);
    ends.failed(live, StepEnds.Failed.of(error).open(live.call() != null));
  }

  // Wait

  void waiting(Scope scope, Step.Wait step, Consumer<RowInfo.Builder> details) {
    JsonValue input;
    long due;
    try {
      input = work.input(step.common(), scope);
      due =
          switch (step.until()) {
            case Step.Wait.For length -> work.nowMs + length.duration().toMillis();
            case Step.Wait.At at -> at.time().toEpochMilli();
            case Step.Wait.Computed computed ->
                time(work.evaluate(computed.expression(), work.orData(input, scope), scope));
          };
    } catch (Work.Failure e) {
      failAtOnce(HistoryKind.STEP_WAITING, scope, step, details, e.error());
      return;
    }
    Work.Draft row = work.begin(HistoryKind.STEP_WAITING, scope, step.number());
    details.accept(row.info());
    row.info().put(Detail.DUE, Math.min(due, work.dueMs(scope, null)));
    row.values(Work.inputOrData(input, scope.data())).append();
  }

  private long time(JsonValue value) {
    JsonNode node = value.tree();
    if (node.isNumber() && node.asDouble() >= 0 && node.asDouble() <= MAX_WAIT.toSeconds()) {
      return work.nowMs + Math.round(node.asDouble() * 1000);
    }
    Long due = node.isString() ? time(node.asString()) : null;
    if (due == null || due - work.nowMs > MAX_WAIT.toMillis()) {
      throw new Work.Failure(
          ErrorClass.EXPRESSION,
          "the wait must be a duration such as 30s, a time such as 2026-01-31T12:00:00Z, or a"
              + " number of seconds, of at most 365 days");
    }
    return due;
  }

  private @Nullable Long time(String text) {
    Matcher duration = DURATION.matcher(text.strip());
    if (duration.matches()) {
      long number = Long.parseLong(duration.group(1));
      return work.nowMs
          + number
              * switch (duration.group(2)) {
                case "ms" -> 1L;
                case "s" -> 1_000L;
                case "m" -> 60_000L;
                case "h" -> 3_600_000L;
                default -> 86_400_000L;
              };
    }
    try {
      Instant at = OffsetDateTime.parse(text.strip()).toInstant();
      return at.toEpochMilli();
    } catch (DateTimeException | ArithmeticException e) {
      return null;
    }
  }

  void over(LiveStep live) {
    Common common = work.step(live).common();
    StepEnds.Done done;
    try {
      done = ends.done(common, work.scope(live), live.data(), null);
    } catch (Work.Failure e) {
      ends.failed(live, StepEnds.Failed.of(e.error()));
      return;
    } catch (Work.NoThread e) {
      work.busy = true;
      return;
    }
    ends.completed(live, done);
  }

  // Child

  void child(Scope scope, Step.Child step, Consumer<RowInfo.Builder> details) {
    JsonValue input;
    try {
      input = work.input(step.common(), scope);
      if (work.facts.run().depth() + 1 > RunContext.MAX_DEPTH) {
        throw new Work.Failure(
            ErrorClass.LIMIT, "workflows start each other more than 20 levels deep");
      }
    } catch (Work.Failure e) {
      failAtOnce(HistoryKind.STEP_WAITING, scope, step, details, e.error());
      return;
    }
    long due = work.dueMs(scope, step.timeout());
    Id id = work.facts.newId();
    Work.Draft row = work.begin(HistoryKind.STEP_WAITING, scope, step.number());
    details.accept(row.info());
    due(row, due);
    row.info().put(Detail.CHILD, StateJson.text(id));
    JsonValue stored =
        input == null && scope.data().item() != null ? work.value(scope.data()) : input;
    int seq = row.values(Work.inputOrData(stored, scope.data())).append();
    start(work.live(seq), step, id, work.nowMs);
  }

  private void start(LiveStep live, Step.Child step, Id id, long startAtMs) {
    work.effects.add(
        new RunEffect.StartChild(
            live.seq(),
            id,
            step.workflow(),
            work.inputOf(live),
            startAtMs,
            Math.min(live.dueMs(), work.fold.head().deadlineMs()),
            work.facts.run().depth() + 1));
  }

  void childEnded(LiveStep live, RunEvent.ChildEnded event) {
    if (live.answered() != null) {
      return;
    }
    if (event.status() == RunStatus.COMPLETED) {
      result(live, event.value() == null ? JsonValue.NULL : event.value());
      return;
    }
    Step.Child step = (Step.Child) work.step(live);
    int attempts = live.attempts() + 1;
    StepError error =
        new StepError(
            ErrorClass.CHILD_FAILED.word(),
            "the run of the workflow %s ended as %s"
                .formatted(step.workflow(), event.status().text()),
            step.name(),
            attempts,
            null,
            event.value(),
            null,
            null);
    Duration delay =
        step.retry().delay(live.attempts(), ErrorClass.CHILD_FAILED, work.facts.random());
    if (delay == null) {
      ends.failed(live, StepEnds.Failed.of(error));
      return;
    }
    Id id = work.facts.newId();
    long startAtMs = work.nowMs + delay.toMillis();
    Work.Draft row = work.row(HistoryKind.STEP_RETRYING, live).value(error.json());
    row.info()
        .put(Detail.ATTEMPTS, attempts)
        .put(Detail.RETRY_AT, startAtMs)
        .put(Detail.CHILD, StateJson.text(id));
    row.append();
    start(work.live(live.seq()), step, id, startAtMs);
  }
}
