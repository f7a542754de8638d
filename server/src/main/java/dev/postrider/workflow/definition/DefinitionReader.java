package dev.postrider.workflow.definition;

import dev.postrider.field.FieldJson;
import dev.postrider.field.FieldValues;
import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.workflow.data.CanonicalJson;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.Masking;
import dev.postrider.workflow.data.ResultPath;
import dev.postrider.workflow.data.TextTemplate;
import dev.postrider.workflow.definition.Outline.Declared;
import dev.postrider.workflow.definition.Outline.StepList;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads definitions that {@link DefinitionCheck} has accepted, and the text that versions are
 * stored as.
 */
public final class DefinitionReader {
  private final FieldValues values;
  private final Outline outline;

  private DefinitionReader(FieldValues values) {
    this.values = values;
    this.outline = new Outline(values);
  }

  /**
   * The definition of these values.
   *
   * @param values of {@link WorkflowFields#ALL}, without problems
   */
  public static Definition read(FieldValues values) {
    return new DefinitionReader(values).definition();
  }

  /** A stored version. */
  public static Definition stored(String canonical, Id version, int number) {
    return read(values(canonical)).stored(version, number);
  }

  /** The values that {@link #canonical} wrote. */
  public static FieldValues values(String canonical) {
    return FieldJson.read(WorkflowFields.ALL, canonical);
  }

  /**
   * The text that a version is stored as: without secrets, and the same for the same content, so
   * that its {@link CanonicalJson#hash} says whether there is a new version.
   */
  public static String canonical(FieldValues values) {
    return CanonicalJson.write(Json.MAPPER.readTree(FieldJson.write(WorkflowFields.ALL, values)));
  }

  private Definition definition() {
    String last = values.get(WorkflowFields.FINALLY);
    return new Definition(
        values.get(WorkflowFields.NAME),
        Id.ZERO,
        0,
        start(),
        params(values),
        values.get(WorkflowFields.TIMEOUT),
        values.get(WorkflowFields.COMPENSATION_TIMEOUT),
        values.get(WorkflowFields.MAX_VISITS),
        block(outline.main),
        outline.steps.stream().map(this::step).toList(),
        last == null ? null : target(outline.handlers, last),
        Masking.of(values.get(WorkflowFields.MASK)));
  }

  private Start start() {
    return new Start(trigger(values), values.get(WorkflowFields.FILTER), cron(values));
  }

  static Start.@Nullable Trigger trigger(FieldValues values) {
    String source = values.get(WorkflowFields.SOURCE);
    String application = values.get(WorkflowFields.APPLICATION);
    String name = source == null ? application : source;
    return name == null
        ? null
        : new Start.Trigger(source != null, name, values.get(WorkflowFields.EVENTS));
  }

  static Start.@Nullable Cron cron(FieldValues values) {
    FieldValues cron = values.get(WorkflowFields.CRON);
    return cron == null
        ? null
        : new Start.Cron(
            cron.get(WorkflowFields.CRON_SCHEDULE),
            cron.get(WorkflowFields.CRON_TIMEZONE),
            cron.get(WorkflowFields.CRON_OVERLAP).equals("allow"),
            cron.get(WorkflowFields.CRON_MISSED).equals("once"),
            json(cron.get(WorkflowFields.CRON_INPUT)));
  }

  /** The parameters of these values. */
  static Params params(FieldValues values) {
    return new Params(
        values.get(WorkflowFields.PARAMS).entrySet().stream()
            .map(param -> param(param.getKey(), param.getValue()))
            .toList());
  }

  static Params.Param param(String name, FieldValues param) {
    return new Params.Param(
        name,
        Params.Type.of(param.get(WorkflowFields.PARAM_TYPE)),
        param.get(WorkflowFields.PARAM_REQUIRED),
        json(param.get(WorkflowFields.PARAM_DEFAULT)),
        param.get(WorkflowFields.PARAM_SCHEMA));
  }

  private static @Nullable JsonValue json(@Nullable String text) {
    return text == null ? null : JsonValue.ofJson(text);
  }

  private static Block block(StepList list) {
    return new Block(list.steps.stream().map(step -> step.number).toList());
  }

  private static int target(StepList list, String name) {
    Declared step = list.named(name);
    if (step == null) {
      throw new IllegalArgumentException("there is no step " + name + " in " + list.place);
    }
    return step.number;
  }

  private Step step(Declared declared) {
    FieldValues step = declared.values;
    Common common = common(declared);
    Duration timeout = step.get(StepFields.TIMEOUT);
    return switch (Objects.requireNonNull(declared.type())) {
      case HTTP -> new Step.Http(common, request(step), timeout, retry(step));
      case CHOICE -> new Step.Choice(common, options(declared), otherwise(declared));
      case PARALLEL -> new Step.Parallel(common, branches(declared), timeout);
      case MAP ->
          new Step.MapItems(
              common,
              text(step.get(StepFields.ITEMS)),
              block(declared.inner.getLast()),
              step.get(StepFields.CONCURRENCY),
              step.get(StepFields.ON_ITEM_FAILURE).equals("collect"),
              timeout);
      case WAIT -> new Step.Wait(common, until(step));
      case CALLBACK ->
          new Step.Callback(
              common,
              timeout == null ? StepFields.DEFAULT_CALLBACK_TIMEOUT : timeout,
              step.get(StepFields.URL) == null ? null : request(step),
              retry(step));
      case WORKFLOW ->
          new Step.Child(common, text(step.get(StepFields.WORKFLOW)), timeout, retry(step));
      case SEND ->
          new Step.Send(
              common,
              text(step.get(StepFields.APPLICATION)),
              text(step.get(StepFields.EVENT_TYPE)),
              step.get(StepFields.EVENT_ID),
              step.get(StepFields.PAYLOAD),
              step.get(StepFields.CHANNELS),
              step.get(StepFields.TAGS));
      case TRANSFORM -> new Step.Transform(common, text(step.get(StepFields.EXPRESSION)));
      case FAIL ->
          new Step.Fail(common, text(step.get(StepFields.ERROR)), step.get(StepFields.MESSAGE));
      case SUCCEED -> new Step.Succeed(common);
    };
  }

  private static String text(@Nullable String required) {
    return Objects.requireNonNull(required);
  }

  private Common common(Declared declared) {
    FieldValues step = declared.values;
    String compensate = step.get(StepFields.COMPENSATE);
    return new Common(
        declared.number,
        declared.name(),
        next(declared),
        step.get(StepFields.INPUT),
        Objects.requireNonNull(resultPath(step.get(StepFields.RESULT_PATH))),
        step.get(StepFields.OUTPUT),
        step.get(StepFields.ON_FAILURE).equals("continue"),
        step.get(StepFields.CATCH).stream()
            .map(
                each ->
                    new Catch(
                        each.get(StepFields.CATCH_ERRORS),
                        target(declared.list, each.get(StepFields.CATCH_NEXT))))
            .toList(),
        compensate == null ? null : target(outline.handlers, compensate));
  }

  /** Handlers run alone: what follows them in their list does not follow them. */
  private static @Nullable Integer next(Declared step) {
    StepType type = step.type();
    if (step.list.kind == Outline.Kind.HANDLERS
        || step.values.get(StepFields.END)
        || (type != null && (type.endsItsList() || type == StepType.CHOICE))) {
      return null;
    }
    String next = step.values.get(StepFields.NEXT);
    if (next != null) {
      return target(step.list, next);
    }
    Declared following = step.following();
    return following == null ? null : following.number;
  }

  /** The path of a JSON text; null if it is not one. */
  static @Nullable ResultPath resultPath(String json) {
    JsonNode path = Json.MAPPER.readTree(json);
    return path.isNull()
        ? ResultPath.NONE
        : path.isString() ? ResultPath.parse(path.asString()) : null;
  }

  private static Request request(FieldValues step) {
    Map<String, TextTemplate> headers = new LinkedHashMap<>();
    step.get(StepFields.HEADERS)
        .forEach((name, value) -> headers.put(name, TextTemplate.parse(value)));
    String secret = step.get(StepFields.SIGNING_SECRET);
    boolean signed = step.get(StepFields.SIGNING).equals("standard");
    return new Request(
        TextTemplate.parse(text(step.get(StepFields.URL))),
        step.get(StepFields.METHOD),
        headers,
        step.get(StepFields.BODY),
        signed && secret != null ? TextTemplate.parse(secret) : null,
        step.get(StepFields.REQUEST_TIMEOUT),
        new Request.Limits(
            step.get(StepFields.THROTTLE),
            step.get(StepFields.THROTTLE_BURST),
            step.get(StepFields.THROTTLE_PERIOD).equals("minute"),
            step.get(StepFields.MAX_IN_FLIGHT)));
  }

  private static Retry retry(FieldValues step) {
    FieldValues retry = step.get(StepFields.RETRY);
    if (retry == null) {
      return Retry.NONE;
    }
    Set<ErrorClass> errors = EnumSet.noneOf(ErrorClass.class);
    for (String word : retry.get(StepFields.RETRY_ERRORS)) {
      errors.add(Objects.requireNonNull(ErrorClass.of(word)));
    }
    return new Retry(
        retry.get(StepFields.RETRY_MAX),
        errors,
        retry.get(StepFields.RETRY_DELAY),
        retry.get(StepFields.RETRY_FACTOR),
        retry.get(StepFields.RETRY_MAX_DELAY));
  }

  private static List<Step.Choice.Option> options(Declared step) {
    return step.values.get(StepFields.CHOICES).stream()
        .map(
            choice ->
                new Step.Choice.Option(
                    choice.get(StepFields.CHOICE_WHEN),
                    target(step.list, choice.get(StepFields.CHOICE_NEXT))))
        .toList();
  }

  private static @Nullable Integer otherwise(Declared step) {
    String name = step.values.get(StepFields.DEFAULT);
    return name == null ? null : target(step.list, name);
  }

  private static List<Step.Parallel.Branch> branches(Declared step) {
    List<FieldValues> branches = step.values.get(StepFields.BRANCHES);
    return IntStream.range(0, branches.size())
        .mapToObj(
            n ->
                new Step.Parallel.Branch(
                    branches.get(n).get(StepFields.BRANCH_NAME), block(step.inner.get(n))))
        .toList();
  }

  private static Step.Wait.Until until(FieldValues step) {
    Duration duration = step.get(StepFields.DURATION);
    if (duration != null) {
      return new Step.Wait.For(duration);
    }
    String timestamp = step.get(StepFields.TIMESTAMP);
    return timestamp == null
        ? new Step.Wait.Computed(text(step.get(StepFields.EXPRESSION)))
        : new Step.Wait.At(Objects.requireNonNull(time(timestamp)));
  }

  /** The time of a text in RFC 3339; null if it is not one. */
  static @Nullable Instant time(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      return null;
    }
  }
}
