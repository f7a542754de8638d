package dev.postrider.eventtype;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.PathType;
import dev.postrider.json.Json;
import dev.postrider.json.Problem;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * A compiled JSON Schema. It is whole in itself: a {@code $ref} that leaves it is refused when it
 * is compiled, so that nothing is ever fetched.
 */
public final class PayloadSchema {
  /** Failing paths that are told; the first of them. */
  static final int MAX_PROBLEMS = 20;

  private final Schema schema;

  private PayloadSchema(Schema schema) {
    this.schema = schema;
  }

  /**
   * @throws IllegalArgumentException with what is wrong with the schema
   */
  public static PayloadSchema compile(JsonNode node, TimeSource time) {
    SchemaRegistry registry = registry(time);
    try {
      refuseUnlessSchema(registry, node);
      Schema schema = registry.getSchema(SchemaQuirks.around(node));
      schema.initializeValidators();
      return new PayloadSchema(schema);
    } catch (SchemaException e) {
      throw new IllegalArgumentException(
          "is no schema that can be used: " + e.getMessage() + "; a $ref must stay inside it", e);
    }
  }

  private static void refuseUnlessSchema(SchemaRegistry registry, JsonNode node) {
    JsonNode dialect = node.path("$schema");
    String id =
        dialect.isString()
            ? dialect.stringValue()
            : SpecificationVersion.DRAFT_2020_12.getDialectId();
    if (SpecificationVersion.fromDialectId(id).isEmpty()) {
      throw new IllegalArgumentException(
          "$schema must be a published JSON Schema dialect such as "
              + SpecificationVersion.DRAFT_2020_12.getDialectId());
    }
    List<Error> errors = registry.getSchema(SchemaLocation.of(id)).validate(node);
    if (!errors.isEmpty()) {
      Error first = errors.getFirst();
      throw new IllegalArgumentException(
          "is no JSON Schema: at \"" + first.getInstanceLocation() + "\" " + first.getMessage());
    }
  }

  private static SchemaRegistry registry(TimeSource time) {
    SchemaRegistryConfig config =
        SchemaRegistryConfig.builder()
            .locale(Locale.ENGLISH)
            .pathType(PathType.JSON_POINTER)
            .regularExpressionFactory(pattern -> new TimedPattern(pattern, time))
            .build();
    return SchemaRegistry.withDefaultDialect(
        SpecificationVersion.DRAFT_2020_12,
        builder ->
            builder
                .schemaRegistryConfig(config)
                .schemaLoader(
                    loader ->
                        loader
                            .fetchRemoteResources(false)
                            .allow(iri -> iri.toString().contains("//json-schema.org/"))));
  }

  /**
   * Where the payload does not fit; empty if it does.
   *
   * @param contentType null means JSON
   */
  public List<Problem> problems(byte[] payload, @Nullable String contentType) {
    if (!Json.isType(contentType)) {
      return List.of(
          Problem.inBody("payload", "must be JSON, because its event type has a schema"));
    }
    try {
      return problems(Json.MAPPER.readTree(payload));
    } catch (JacksonException e) {
      return List.of(
          Problem.inBody("payload", "must be JSON, because its event type has a schema"));
    } catch (TimedPattern.TooSlow e) {
      return List.of(
          Problem.inBody("payload", "takes too long to check against its event type's schema"));
    }
  }

  private List<Problem> problems(JsonNode payload) {
    List<Problem> problems = new ArrayList<>();
    for (Error error : schema.validate(payload)) {
      if (problems.size() == MAX_PROBLEMS) {
        break;
      }
      List<String> loc = new ArrayList<>(List.of("body", "payload"));
      for (String step : error.getInstanceLocation().toString().split("/", -1)) {
        if (!step.isEmpty()) {
          loc.add(step.replace("~1", "/").replace("~0", "~"));
        }
      }
      problems.add(new Problem(loc, error.getMessage(), Problem.SCHEMA));
    }
    return problems;
  }
}
