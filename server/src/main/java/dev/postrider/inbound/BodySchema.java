package dev.postrider.inbound;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** A JSON Schema (draft 2020-12 unless it says otherwise) that bodies must satisfy. */
final class BodySchema {
  private static final int MAX_PROBLEMS_TOLD = 5;

  private final Schema schema;

  private BodySchema(Schema schema) {
    this.schema = schema;
  }

  /** Refuses what is no schema, and references that would have to be fetched. */
  static BodySchema parse(String text) {
    try {
      SchemaRegistry registry =
          SchemaRegistry.withDefaultDialect(
              SpecificationVersion.DRAFT_2020_12,
              builder -> builder.schemaLoader(loader -> loader.fetchRemoteResources(false)));
      Schema schema = registry.getSchema(text);
      schema.initializeValidators();
      BodySchema meta = new BodySchema(registry.getSchema(SchemaLocation.of(dialect(schema))));
      String problem = meta.problem(schema.getSchemaNode());
      if (problem != null) {
        throw new IllegalArgumentException(problem);
      }
      return new BodySchema(schema);
    } catch (SchemaException | JacksonException | IllegalArgumentException e) {
      throw new IllegalArgumentException("is not a usable JSON Schema: " + e.getMessage(), e);
    }
  }

  private static String dialect(Schema schema) {
    JsonNode named = schema.getSchemaNode().get("$schema");
    return named == null || !named.isString()
        ? SpecificationVersion.DRAFT_2020_12.getDialectId()
        : named.stringValue();
  }

  /** What is wrong with the body; null if nothing is. */
  @Nullable String problem(JsonNode body) {
    List<Error> errors = schema.validate(body);
    return errors.isEmpty()
        ? null
        : errors.stream()
            .limit(MAX_PROBLEMS_TOLD)
            .map(Error::toString)
            .collect(Collectors.joining("; "));
  }
}
