package dev.postrider.evaluation;

import com.networknt.schema.Error;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.MessageSourceError;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaContext;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.dialect.Dialects;
import com.networknt.schema.format.Format;
import com.networknt.schema.keyword.FormatValidator;
import com.networknt.schema.path.NodePath;
import com.networknt.schema.path.PathType;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A compiled JSON Schema. It is self-contained: a {@code $ref} to another document is rejected when
 * it is compiled, so that nothing is ever fetched. Compiling and validating run on an {@link
 * Evaluator}.
 */
public final class JsonSchema {
  private static final SpecificationVersion NEWEST = SpecificationVersion.DRAFT_2020_12;

  private static final List<Dialect> DIALECTS =
      List.of(
          bounded(Dialects.getDraft4()),
          bounded(Dialects.getDraft6()),
          bounded(Dialects.getDraft7()),
          bounded(Dialects.getDraft201909()),
          bounded(Dialects.getDraft202012()));

  private final Evaluator evaluator;
  private final Schema schema;

  private JsonSchema(Evaluator evaluator, Schema schema) {
    this.evaluator = evaluator;
    this.schema = schema;
  }

  /**
   * @throws IllegalArgumentException with the problem of the schema
   */
  public static JsonSchema compile(JsonNode node, Object owner, Evaluator evaluator) {
    try {
      return new JsonSchema(evaluator, evaluator.compile(owner, () -> compile(node)));
    } catch (SchemaException e) {
      throw unusable(
          e.getCause() instanceof InvalidRegex regex
              ? regex.getMessage()
              : e.getMessage() + "; every $ref must refer to the same schema");
    } catch (BudgetExceeded e) {
      throw unusable(e.getMessage());
    }
  }

  private static IllegalArgumentException unusable(@Nullable String why) {
    return new IllegalArgumentException("is not a usable JSON Schema: " + why);
  }

  private static Schema compile(JsonNode node) {
    SchemaRegistry registry = registry();
    refuseUnlessSchema(registry, node);
    Schema schema = registry.getSchema(SchemaQuirks.around(node));
    schema.initializeValidators();
    return schema;
  }

  private static void refuseUnlessSchema(SchemaRegistry registry, JsonNode node) {
    JsonNode dialect = node.path("$schema");
    String id = dialect.isString() ? dialect.stringValue() : NEWEST.getDialectId();
    if (SpecificationVersion.fromDialectId(id).isEmpty()) {
      throw new IllegalArgumentException(
          "$schema must be a published JSON Schema dialect such as " + NEWEST.getDialectId());
    }
    List<Error> errors = errors(registry.getSchema(SchemaLocation.of(id)), node);
    if (!errors.isEmpty()) {
      Error first = errors.getFirst();
      throw new IllegalArgumentException(
          "is not a JSON Schema: at \"%s\" %s"
              .formatted(first.getInstanceLocation(), first.getMessage()));
    }
  }

  private static SchemaRegistry registry() {
    SchemaRegistryConfig config =
        SchemaRegistryConfig.builder()
            .locale(Locale.ENGLISH)
            .pathType(PathType.JSON_POINTER)
            .regularExpressionFactory(pattern -> Regex.compile(pattern)::isFoundIn)
            .build();
    return SchemaRegistry.withDialects(
        DIALECTS,
        builder ->
            builder
                .defaultDialectId(NEWEST.getDialectId())
                .schemaRegistryConfig(config)
                .schemaLoader(
                    loader ->
                        loader
                            .fetchRemoteResources(false)
                            .allow(iri -> iri.toString().contains("//json-schema.org/"))));
  }

  /**
   * The paths where the value does not match; empty if it does.
   *
   * @throws BudgetExceeded if the validation takes too long
   */
  public List<Error> errors(JsonNode value, Object owner) {
    return evaluator.run(owner, () -> errors(schema, value));
  }

  private static List<Error> errors(Schema schema, JsonNode value) {
    Budget budget = Budget.current();
    ExecutionContext context =
        new ExecutionContext(schema.createExecutionContext().getExecutionConfig()) {
          @Override
          public void evaluationPathAddLast(String keyword) { // before every keyword
            budget.check();
            super.evaluationPathAddLast(keyword);
          }
        };
    schema.validate(context, value);
    return context.getErrors();
  }

  private static Dialect bounded(Dialect dialect) {
    return Dialect.builder(dialect)
        .formats(formats -> formats.replaceAll((_, format) -> new ShortText(format)))
        .build();
  }

  /**
   * Rejects long strings: some regular expressions of the library for formats take quadratic time.
   */
  private record ShortText(Format format) implements Format {
    private static final int MAX_LENGTH = 4_096;

    @Override
    public String getName() {
      return format.getName();
    }

    @Override
    public @Nullable String getMessageKey() {
      return format.getMessageKey();
    }

    @Override
    public boolean matches(ExecutionContext context, SchemaContext schema, JsonNode value) {
      return !isLong(value) && format.matches(context, schema, value);
    }

    @Override
    public void validate(
        ExecutionContext context,
        SchemaContext schema,
        JsonNode value,
        JsonNode root,
        NodePath location,
        boolean asserting,
        Supplier<MessageSourceError.Builder> message,
        FormatValidator validator) {
      if (isLong(value)) {
        Format.super.validate(
            context, schema, value, root, location, asserting, message, validator);
      } else {
        format.validate(context, schema, value, root, location, asserting, message, validator);
      }
    }

    private static boolean isLong(JsonNode value) {
      return value.isString() && value.stringValue().length() > MAX_LENGTH;
    }
  }
}
