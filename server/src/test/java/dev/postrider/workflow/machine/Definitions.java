package dev.postrider.workflow.machine;

import dev.postrider.id.Id;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.Masking;
import dev.postrider.workflow.data.ResultPath;
import dev.postrider.workflow.data.TextTemplate;
import dev.postrider.workflow.definition.Block;
import dev.postrider.workflow.definition.Catch;
import dev.postrider.workflow.definition.Common;
import dev.postrider.workflow.definition.Definition;
import dev.postrider.workflow.definition.ErrorClass;
import dev.postrider.workflow.definition.Params;
import dev.postrider.workflow.definition.Request;
import dev.postrider.workflow.definition.Retry;
import dev.postrider.workflow.definition.Start;
import dev.postrider.workflow.definition.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Definitions for tests of the machine, from relaxed JSON with the names of fields that a file has.
 * It checks nothing.
 */
public final class Definitions {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(JsonReadFeature.ALLOW_UNQUOTED_PROPERTY_NAMES)
          .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
          .build();

  private final List<@Nullable Step> steps = new ArrayList<>();
  private final Map<String, Integer> numbers = new LinkedHashMap<>();

  private Definitions() {}

  /** A workflow with these steps and nothing else. */
  public static Definition ofSteps(String steps) {
    return of("{steps: " + steps + "}");
  }

  public static Definition of(String text) {
    return new Definitions().read(MAPPER.readTree(text));
  }

  private Definition read(JsonNode node) {
    number(node.get("steps"));
    if (node.has("handlers")) {
      number(node.get("handlers"));
    }
    numbers.values().forEach(_ -> steps.add(null));
    Block main = block(node.get("steps"));
    if (node.has("handlers")) {
      block(node.get("handlers"));
    }
    return new Definition(
        node.path("name").asString("order"),
        new Id(7, 7),
        1,
        new Start(null, text(node, "filter"), null),
        params(node.get("params")),
        duration(node, "timeout", Duration.ofDays(30)),
        duration(node, "compensation_timeout", Duration.ofHours(1)),
        node.path("max_visits").asInt(1_000),
        main,
        List.copyOf(steps),
        node.has("finally") ? numbers.get(node.get("finally").asString()) : null,
        Masking.DEFAULT);
  }

  private static Params params(@Nullable JsonNode node) {
    if (node == null) {
      return Params.NONE;
    }
    List<Params.Param> params = new ArrayList<>();
    node.properties()
        .forEach(
            each ->
                params.add(
                    new Params.Param(
                        each.getKey(),
                        Params.Type.valueOf(
                            each.getValue().path("type").asString("any").toUpperCase(Locale.ROOT)),
                        each.getValue().path("required").asBoolean(false),
                        each.getValue().has("default")
                            ? JsonValue.of(each.getValue().get("default"))
                            : null,
                        null)));
    return new Params(params);
  }

  /** Depth first, as definitions number them. */
  private void number(JsonNode list) {
    for (JsonNode step : list) {
      numbers.put(step.get("name").asString(), numbers.size());
      if (step.has("branches")) {
        step.get("branches").forEach(branch -> number(branch.get("steps")));
      } else if (step.has("steps")) {
        number(step.get("steps"));
      }
    }
  }

  private Block block(JsonNode list) {
    List<Integer> own = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      JsonNode step = list.get(i);
      int number = number(step, "name");
      String type = step.get("type").asString();
      Integer next =
          step.has("next")
              ? Integer.valueOf(number(step, "next"))
              : step.path("end").asBoolean(false)
                      || i + 1 == list.size()
                      || type.equals("succeed")
                      || type.equals("fail")
                  ? null
                  : Integer.valueOf(number(list.get(i + 1), "name"));
      own.add(number);
      steps.set(number, step(step, type, common(step, number, next)));
    }
    return new Block(own);
  }

  private int number(JsonNode node, String field) {
    return Objects.requireNonNull(
        numbers.get(node.get(field).asString()), node.get(field).asString());
  }

  private Common common(JsonNode node, int number, @Nullable Integer next) {
    List<Catch> catches = new ArrayList<>();
    for (JsonNode each : node.path("catch")) {
      List<String> errors = new ArrayList<>();
      each.get("errors").forEach(error -> errors.add(error.asString()));
      catches.add(new Catch(errors, number(each, "next")));
    }
    JsonNode path = node.get("result_path");
    return new Common(
        number,
        node.get("name").asString(),
        next,
        text(node, "input"),
        path == null
            ? ResultPath.WHOLE
            : path.isNull()
                ? ResultPath.NONE
                : Objects.requireNonNull(ResultPath.parse(path.asString())),
        text(node, "output"),
        node.path("on_failure").asString("stop").equals("continue"),
        catches,
        node.has("compensate") ? Integer.valueOf(number(node, "compensate")) : null);
  }

  private Step step(JsonNode node, String type, Common common) {
    Duration timeout = node.has("timeout") ? duration(node, "timeout", Duration.ZERO) : null;
    return switch (type) {
      case "http" -> new Step.Http(common, request(node), timeout, retry(node));
      case "choice" -> {
        List<Step.Choice.Option> options = new ArrayList<>();
        for (JsonNode each : node.path("choices")) {
          options.add(new Step.Choice.Option(each.get("when").asString(), number(each, "next")));
        }
        yield new Step.Choice(
            common, options, node.has("default") ? Integer.valueOf(number(node, "default")) : null);
      }
      case "parallel" -> {
        List<Step.Parallel.Branch> branches = new ArrayList<>();
        for (JsonNode each : node.get("branches")) {
          branches.add(
              new Step.Parallel.Branch(each.get("name").asString(), block(each.get("steps"))));
        }
        yield new Step.Parallel(common, branches, timeout);
      }
      case "map" ->
          new Step.MapItems(
              common,
              node.get("items").asString(),
              block(node.get("steps")),
              node.path("max_concurrency").asInt(100),
              node.path("on_item_failure").asString("fail").equals("collect"),
              timeout);
      case "wait" -> new Step.Wait(common, until(node));
      case "callback" ->
          new Step.Callback(
              common,
              duration(node, "timeout", Duration.ofHours(24)),
              node.has("url") ? request(node) : null,
              retry(node));
      case "workflow" ->
          new Step.Child(common, node.get("workflow").asString(), timeout, retry(node));
      case "send" ->
          new Step.Send(
              common,
              node.path("application").asString("shop"),
              node.path("event_type").asString("order.done"),
              text(node, "event_id"),
              text(node, "payload"),
              List.of(),
              List.of());
      case "transform" -> new Step.Transform(common, node.get("expression").asString());
      case "fail" -> new Step.Fail(common, node.get("error").asString(), text(node, "message"));
      case "succeed" -> new Step.Succeed(common);
      default -> throw new IllegalArgumentException(type);
    };
  }

  private static Step.Wait.Until until(JsonNode node) {
    if (node.has("duration")) {
      return new Step.Wait.For(duration(node, "duration", Duration.ZERO));
    }
    return node.has("timestamp")
        ? new Step.Wait.At(Instant.parse(node.get("timestamp").asString()))
        : new Step.Wait.Computed(node.get("expression").asString());
  }

  private static Request request(JsonNode node) {
    Map<String, TextTemplate> headers = new LinkedHashMap<>();
    node.path("headers")
        .properties()
        .forEach(
            each -> headers.put(each.getKey(), TextTemplate.parse(each.getValue().asString())));
    return new Request(
        TextTemplate.parse(node.path("url").asString("https://example.com/call")),
        "POST",
        headers,
        text(node, "body"),
        null,
        Duration.ofSeconds(15),
        Request.Limits.NONE);
  }

  private static Retry retry(JsonNode node) {
    JsonNode retry = node.get("retry");
    if (retry == null) {
      return Retry.NONE;
    }
    Set<ErrorClass> errors = new HashSet<>();
    retry
        .path("errors")
        .forEach(each -> errors.add(Objects.requireNonNull(ErrorClass.of(each.asString()))));
    return new Retry(
        retry.get("max").asInt(),
        errors.isEmpty() ? Set.of(ErrorClass.ALL) : errors,
        Retry.DEFAULT_FIRST,
        Retry.DEFAULT_FACTOR,
        Retry.DEFAULT_MOST);
  }

  private static Duration duration(JsonNode node, String field, Duration otherwise) {
    return node.has(field)
        ? Duration.parse("PT" + node.get(field).asString().toUpperCase(Locale.ROOT))
        : otherwise;
  }

  private static @Nullable String text(JsonNode node, String field) {
    return node.has(field) && !node.get(field).isNull() ? node.get(field).asString() : null;
  }
}
