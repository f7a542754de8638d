package dev.postrider.configfile;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.postrider.json.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The checker of the server and the JSON Schema of editors are derived from the same declarations.
 * Every key of the file is given values of every kind, and both must give the same verdict on the
 * structure. The rules of texts (URLs, durations) are not part of the schema and not compared.
 */
class FileSchemaAgreementTest {
  private static final FieldShape.Keys FILE = (FieldShape.Keys) withoutTextRules(FileSchema.file());

  private final Schema schema =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(Json.MAPPER.readTree(FileJsonSchema.text()));
  private final List<String> disagreements = new ArrayList<>();
  private final Set<String> seen = new HashSet<>();
  private int accepted;
  private int rejected;

  @Test
  void theCheckerAndTheJsonSchemaAgreeOnTheStructureOfTheFile() {
    keys(
        FILE,
        value -> {
          if (value instanceof ObjectNode file) {
            compare(file);
          }
        });
    assertThat(disagreements).isEmpty();
    assertThat(accepted).as("files that both accept").isGreaterThan(300);
    assertThat(rejected).as("files that both reject").isGreaterThan(500);
  }

  private void compare(ObjectNode file) {
    FileProblems problems = new FileProblems();
    new Checker(null, problems).check((YamlValue.Table) JsonTree.value(file), FILE);
    boolean checked = problems.count() == 0;
    boolean valid = schema.validate(file).isEmpty();
    if (checked != valid) {
      disagreements.add(
          (checked ? "only the schema rejects " : "only the checker rejects ") + file);
    } else if (checked) {
      accepted++;
    } else {
      rejected++;
    }
  }

  /** Gives every key of a table, and the table itself, values of every kind. */
  private void keys(FieldShape.Keys keys, Consumer<JsonNode> file) {
    kinds(keys, file);
    file.accept(sample(keys).put("no_such_key", 1));
    for (FieldShape.Key one : keys.keys()) {
      if (one.required()) {
        ObjectNode without = sample(keys);
        without.remove(one.name());
        file.accept(without);
      }
      shape(
          one.shape(),
          value -> {
            ObjectNode table = sample(keys);
            table.set(one.name(), value);
            file.accept(table);
          });
    }
  }

  private void shape(FieldShape shape, Consumer<JsonNode> file) {
    switch (shape) {
      case FieldShape.Keys keys -> keys(keys, file);
      case FieldShape.MapOf map -> {
        kinds(map, file);
        shape(map.value(), value -> file.accept(object().set("a", value)));
        many(map.max(), file, count -> entries(map.value(), count));
      }
      case FieldShape.ListOf list -> {
        kinds(list, file);
        shape(list.item(), value -> file.accept(array().add(value)));
        many(list.max(), file, count -> items(list.item(), count));
      }
      case FieldShape.Recursive(String name, Supplier<FieldShape.Keys> own) -> {
        kinds(shape, file);
        if (seen.add(name)) {
          keys(own.get(), file);
        }
      }
      case FieldShape.Either(FieldShape scalar, FieldShape table) -> {
        kinds(shape, file);
        shape(scalar, file);
        shape(table, file);
      }
      case FieldShape.Whole(int min, int max) -> {
        kinds(shape, file);
        for (long number : new long[] {min - 1L, min, max, max + 1L}) {
          file.accept(Json.MAPPER.valueToTree(number));
        }
      }
      case FieldShape.Choice(List<String> words) -> {
        kinds(shape, file);
        words.forEach(word -> file.accept(Json.MAPPER.valueToTree(word)));
      }
      case FieldShape.Word _, FieldShape.Flag _, FieldShape.Anything _ -> kinds(shape, file);
    }
  }

  /** One value of each kind of YAML, and a good one. */
  private void kinds(FieldShape shape, Consumer<JsonNode> file) {
    file.accept(sample(shape));
    for (String value :
        List.of("null", "true", "7", "-123456789012", "\"zz\"", "[]", "[[1]]", "{}", "{\"z\":1}")) {
      file.accept(Json.MAPPER.readTree(value));
    }
  }

  private interface Filled {
    JsonNode with(int count);
  }

  private static void many(int max, Consumer<JsonNode> file, Filled filled) {
    if (max <= 200) { // a file with 10,000 entries takes too long for each key
      file.accept(filled.with(max));
      file.accept(filled.with(max + 1));
    }
  }

  private static ObjectNode entries(FieldShape value, int count) {
    ObjectNode table = object();
    for (int i = 0; i < count; i++) {
      table.set("a" + i, sample(value));
    }
    return table;
  }

  private static ArrayNode items(FieldShape item, int count) {
    ArrayNode list = array();
    for (int i = 0; i < count; i++) {
      list.add(sample(item));
    }
    return list;
  }

  private static ObjectNode sample(FieldShape.Keys keys) {
    ObjectNode table = object();
    keys.keys().stream()
        .filter(FieldShape.Key::required)
        .forEach(key -> table.set(key.name(), sample(key.shape())));
    return table;
  }

  private static JsonNode sample(FieldShape shape) {
    return switch (shape) {
      case FieldShape.Keys keys -> sample(keys);
      case FieldShape.MapOf map -> object().set("a", sample(map.value()));
      case FieldShape.ListOf list -> array().add(sample(list.item()));
      case FieldShape.Recursive recursive -> sample(recursive.keys().get());
      case FieldShape.Either either -> sample(either.scalar());
      case FieldShape.Choice choice -> Json.MAPPER.valueToTree(choice.words().getFirst());
      case FieldShape.Flag _ -> Json.MAPPER.valueToTree(true);
      case FieldShape.Whole whole -> Json.MAPPER.valueToTree(whole.min());
      case FieldShape.Word _ -> Json.MAPPER.valueToTree("text");
      case FieldShape.Anything _ -> object();
    };
  }

  private static ObjectNode object() {
    return Json.MAPPER.createObjectNode();
  }

  private static ArrayNode array() {
    return Json.MAPPER.createArrayNode();
  }

  private static FieldShape withoutTextRules(FieldShape shape) {
    return switch (shape) {
      case FieldShape.Word(String form, FieldShape.Rule _, boolean secret) ->
          new FieldShape.Word(form, _ -> null, secret);
      case FieldShape.ListOf(FieldShape item, int max) ->
          new FieldShape.ListOf(withoutTextRules(item), max);
      case FieldShape.MapOf(FieldShape.Word name, FieldShape value, int max) ->
          new FieldShape.MapOf(
              (FieldShape.Word) withoutTextRules(name), withoutTextRules(value), max);
      case FieldShape.Either(FieldShape scalar, FieldShape table) ->
          new FieldShape.Either(withoutTextRules(scalar), withoutTextRules(table));
      case FieldShape.Keys(List<FieldShape.Key> keys) ->
          new FieldShape.Keys(
              keys.stream()
                  .map(
                      key ->
                          new FieldShape.Key(
                              key.name(),
                              withoutTextRules(key.shape()),
                              key.required(),
                              key.description(),
                              key.example()))
                  .toList());
      case FieldShape.Recursive(String name, Supplier<FieldShape.Keys> own) ->
          new FieldShape.Recursive(name, () -> (FieldShape.Keys) withoutTextRules(own.get()));
      case FieldShape.Whole _, FieldShape.Flag _, FieldShape.Choice _, FieldShape.Anything _ ->
          shape;
    };
  }
}
