package dev.postrider.workflow.definition;

import dev.postrider.config.Quantities;
import dev.postrider.field.Field;
import dev.postrider.field.FieldSet;
import dev.postrider.field.FieldType;
import dev.postrider.field.FieldValues;
import dev.postrider.json.TextRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/** Writes the reference of definitions from the declarations of their fields. */
final class DefinitionReference {
  private static final Set<Field<?>> OF_EVERY_STEP =
      Set.of(StepFields.NAME, StepFields.TYPE, StepFields.DESCRIPTION);

  private static final Set<Field<?>> OF_DATA =
      Set.of(
          StepFields.NEXT,
          StepFields.END,
          StepFields.INPUT,
          StepFields.RESULT_PATH,
          StepFields.OUTPUT,
          StepFields.ON_FAILURE,
          StepFields.CATCH);

  private static final Map<StepType, String> PURPOSES =
      Map.ofEntries(
          Map.entry(StepType.HTTP, "Calls a URL. The result is the response."),
          Map.entry(StepType.CHOICE, "Continues with the first choice that is true."),
          Map.entry(
              StepType.PARALLEL,
              "Runs its branches at the same time. The result is an object with the data of each"
                  + " branch under its name."),
          Map.entry(
              StepType.MAP,
              "Runs its steps for each item of an array. The result is the array of their data, in"
                  + " the order of the items."),
          Map.entry(
              StepType.WAIT,
              "Waits. Needs exactly one of `duration`, `timestamp` and `expression`. The result is"
                  + " null."),
          Map.entry(
              StepType.CALLBACK,
              "Waits until its one-time URL is called. The result is the body of that call. With a"
                  + " `url`, a notification with the one-time URL is sent there first; the fields"
                  + " of a request are about it."),
          Map.entry(
              StepType.WORKFLOW,
              "Runs another workflow as a child. The result is its output. Its version is the"
                  + " current one when the child starts."),
          Map.entry(
              StepType.SEND,
              "Publishes a message to an application. The result is an object with its `id`."),
          Map.entry(StepType.TRANSFORM, "The result is the value of an expression."),
          Map.entry(StepType.FAIL, "Ends its list with an error."),
          Map.entry(StepType.SUCCEED, "Ends its list successfully."));

  private DefinitionReference() {}

  static String markdown() {
    StringBuilder page =
        new StringBuilder(
            """
            # Workflow definitions

            Every field of a workflow. This page is generated from the declarations in
            `WorkflowFields` and `StepFields`. The configuration file spells fields as shown here, the
            API in camelCase (`result_path` is `resultPath`).

            ## Workflow

            In the file, a workflow is an entry of `workflows:`; its key is its name.

            """);
    table(page, withoutName(WorkflowFields.ALL));
    section(page, "### cron", group(WorkflowFields.CRON));
    section(page, "### params", fields(WorkflowFields.PARAMS));
    page.append("\n## Steps\n\nEvery step has:\n\n");
    table(page, pick(OF_EVERY_STEP));
    page.append("\nSteps of all types but choice, fail and succeed also have:\n\n");
    table(page, pick(OF_DATA));
    section(page, "### catch", StepFields.CATCH_FIELDS.stream().toList());
    for (StepType type : StepType.values()) {
      page.append("\n### ").append(type.word()).append("\n\n");
      page.append(wrapped(Objects.requireNonNull(PURPOSES.get(type)))).append("\n");
      List<Field<?>> own = new ArrayList<>(StepRules.of(type));
      own.removeAll(OF_EVERY_STEP);
      boolean data = own.containsAll(OF_DATA);
      if (data) {
        own.removeAll(OF_DATA);
      }
      if (!own.isEmpty()) {
        page.append("\n");
        table(page, own, StepRules.required(type));
      }
    }
    section(page, "### retry", group(StepFields.RETRY));
    section(page, "### choices", StepFields.CHOICE_FIELDS.stream().toList());
    section(page, "### branches", StepFields.BRANCH_FIELDS.stream().toList());
    errors(page);
    page.append(
        """

        ## Variables

        The context of an expression is the current data: `total > 1000` reads its member `total`.

        | variable | is |
        |---|---|
        | `$input` | the input of the run |
        | `$steps.NAME` | `result`, `error` and `visits` of a step of this list or an outer one |
        | `$run` | `id`, `workflow`, `version`, `key` and `started_at` of the run |
        | `$message` | `id`, `type`, `event_id` and `application` of the message that started the run |
        | `$error` | the error, in the steps that `catch` leads to: `class`, `message`, `step`, `attempts`, `status`, `body`, and `branch` or `index` |
        | `$item`, `$index` | the item and its number, in the steps of a map |
        | `$result` | the result of the step, in `output` |
        """);
    return page.toString();
  }

  private static void errors(StringBuilder page) {
    page.append(
        """

        ## Error classes

        | class | retried |
        |---|---|
        """);
    for (ErrorClass error : ErrorClass.values()) {
      page.append("| `%s` | %s |\n".formatted(error.word(), error.isRetryable() ? "yes" : "never"));
    }
  }

  private static void section(StringBuilder page, String title, List<Field<?>> fields) {
    page.append("\n").append(title).append("\n\n");
    table(page, fields);
  }

  private static List<Field<?>> withoutName(FieldSet fields) {
    return fields.inFile();
  }

  private static List<Field<?>> pick(Collection<Field<?>> some) {
    return StepFields.ALL.stream().<Field<?>>map(field -> field).filter(some::contains).toList();
  }

  private static List<Field<?>> group(Field<FieldValues> field) {
    return ((FieldType.Group) field.type()).fields().inFile();
  }

  private static List<Field<?>> fields(Field<Map<String, FieldValues>> field) {
    return ((FieldType.TablesByName) field.type()).fields().inFile();
  }

  private static void table(StringBuilder page, List<Field<?>> fields) {
    table(page, fields, List.of());
  }

  private static void table(StringBuilder page, List<Field<?>> fields, List<Field<?>> required) {
    page.append("| field | value | default | |\n|---|---|---|---|\n");
    for (Field<?> field : fields) {
      boolean must = field.required() || required.contains(field);
      page.append(
          "| `%s` | %s | %s | %s |\n"
              .formatted(
                  StepFields.inFile(field),
                  value(field.type()),
                  must ? "required" : byDefault(field),
                  field.description().replace("|", "\\|")));
    }
  }

  private static String byDefault(Field<?> field) {
    Object value = FieldValues.NONE.value(field);
    return switch (value) {
      case null -> "";
      case Duration duration -> "`" + Quantities.show(duration) + "`";
      case String text when text.isEmpty() -> "";
      case String text -> "`" + text.replace("\"", "") + "`";
      case List<?> list when list.isEmpty() -> "";
      case Map<?, ?> map when map.isEmpty() -> "";
      default -> "`" + value + "`";
    };
  }

  private static String value(FieldType<?> type) {
    return switch (type) {
      case FieldType.Text(TextRule rule) ->
          rule.pattern() == null
              ? "text of at most %,d characters".formatted(rule.max())
              : "text " + rule.form();
      case FieldType.Choice(List<String> words) -> "`" + String.join("`, `", words) + "`";
      case FieldType.Flag _ -> "true or false";
      case FieldType.WholeNumber(int min, int max) -> "%,d to %,d".formatted(min, max);
      case FieldType.DurationText(Duration min, Duration max) ->
          "%s to %s".formatted(Quantities.show(min), Quantities.show(max));
      case FieldType.Expression _ -> "JSONata expression";
      case FieldType.TextList(int max, TextRule _) -> "at most %,d texts".formatted(max);
      case FieldType.TextMap(int max, TextRule _, TextRule _, int _) ->
          "at most %,d texts by name".formatted(max);
      case FieldType.Tables(String item, Supplier<FieldSet> _, int max) ->
          "list of at most %,d, each a %s".formatted(max, item);
      case FieldType.TablesByName _ -> "table of parameters by name";
      case FieldType.Group _ -> "table";
      case FieldType.JsonValue _ -> "any JSON";
      case FieldType.JsonSchema _ -> "JSON Schema";
      case FieldType.EventTypes _ -> "list of event types and prefixes";
      case FieldType.TimeZone _ -> "time zone";
      case FieldType.NamedSecrets _ -> "secrets by name";
      default -> throw new IllegalArgumentException(type.toString());
    };
  }

  /** At most 100 columns. */
  private static String wrapped(String text) {
    StringBuilder lines = new StringBuilder();
    int column = 0;
    for (String word : text.split(" ", -1)) {
      if (column > 0 && column + word.length() > 98) {
        lines.append('\n');
        column = 0;
      } else if (column > 0) {
        lines.append(' ');
        column++;
      }
      lines.append(word);
      column += word.length();
    }
    return lines.append('\n').toString().stripTrailing();
  }
}
