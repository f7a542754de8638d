package dev.postrider.inbound.compiled;

import dev.postrider.config.Quantities;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.Expressions;
import dev.postrider.field.FieldValues;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.body.BodySchema;
import dev.postrider.inbound.body.DedupeRule;
import dev.postrider.inbound.body.EventTypeRule;
import dev.postrider.inbound.body.RuleText;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.source.SourceToken;
import dev.postrider.inbound.verify.Handshake;
import dev.postrider.inbound.verify.Schemes;
import dev.postrider.inbound.verify.Verifiers;
import dev.postrider.inbound.verify.verifier.Freshness;
import dev.postrider.inbound.verify.verifier.SchemeOptions;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verifier;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.net.Cidr;
import dev.postrider.schedule.CronSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Compiles the fields of a source into a {@link CompiledSource}, and validates them. */
public final class SourceCompiler {
  /** Options with the name of the header that carries a secret. */
  private static final Set<String> SECRET_IN_HEADER = Set.of("api-key", "jwt");

  /** Prefixes of ids and tokens; a source whose name starts with one would never be found. */
  private static final List<String> RESERVED =
      List.of(IdKind.SOURCE.prefix(), IdKind.APPLICATION.prefix(), SourceToken.PREFIX);

  private final Verifiers verifiers;
  private final Expressions expressions;
  private final Evaluator evaluator;

  public SourceCompiler(Verifiers verifiers, Expressions expressions, Evaluator evaluator) {
    this.verifiers = verifiers;
    this.expressions = expressions;
    this.evaluator = evaluator;
  }

  /**
   * @param owner the owner for the fair share of the evaluation threads
   * @param secrets those that are new
   * @param ofEventTypes whether the source has, or keeps, secrets of event types
   * @throws InvalidFields with every problem, each at its field
   */
  public void check(Object owner, SourceForm form, SecretChange secrets, boolean ofEventTypes) {
    Parts parts = parts(owner, form);
    Verifier verifier = parts.verifier;
    if (verifier != null) {
      secrets
          .lists()
          .forEach(
              (eventTypes, list) ->
                  list.forEach(
                      secret -> parts.part(fieldOf(eventTypes), () -> checked(verifier, secret))));
    }
    if (verifier != null && ofEventTypes) {
      parts.part(SourceFields.EVENT_TYPE_SECRETS.name(), () -> checkedUse(verifier, form));
    }
    parts.refuse();
  }

  private static String fieldOf(String eventTypes) {
    return eventTypes.equals(SecretChange.ALL_OTHERS)
        ? "secret"
        : SourceFields.EVENT_TYPE_SECRETS.name();
  }

  private static SourceSecret checked(Verifier verifier, SourceSecret secret) {
    verifier.checkSecret(secret);
    return secret;
  }

  /** The event type is determined before the request is verified, so that costs little. */
  private static Verifier checkedUse(Verifier verifier, SourceForm form) {
    if (!verifier.needsSecret()) {
      throw new IllegalArgumentException(
          "the scheme %s verifies requests without a secret; remove the secrets of the source"
              .formatted(form.verify()));
    }
    if (RuleText.isExpression(form.get(SourceFields.EVENT_TYPE))) {
      throw new IllegalArgumentException(
          "cannot be used with an expression as eventType, because it would be evaluated before the"
              + " request is verified; use provider, header: or field:");
    }
    return verifier;
  }

  /** Whether such a source cannot verify requests until it has a secret. */
  public boolean needsSecret(SourceForm form) {
    return !form.isCron()
        && !form.get(SourceFields.ALLOW_UNSIGNED)
        && !Verifiers.learnsSecret(form.verify())
        && verifiers.of(form.verify(), form.get(SourceFields.OPTIONS)).needsSecret();
  }

  public CompiledSource open(Source source, List<CompiledSecrets.Active> secrets) {
    SourceForm form = source.form();
    Parts parts = parts(source.applicationId(), form);
    parts.refuse();
    if (parts.verifier == null
        || parts.handshakes == null
        || parts.unwrapping == null
        || parts.eventType == null
        || parts.dedupe == null
        || parts.allowed == null) {
      throw new IllegalStateException(
          "a part of the source is missing although no error was reported");
    }
    return new CompiledSource(
        source,
        parts.verifier,
        parts.handshakes,
        parts.unwrapping,
        parts.eventType,
        parts.dedupe,
        parts.schema,
        parts.allowed,
        secretHeaders(form),
        new CompiledSecrets(secrets),
        parts.cron);
  }

  private Parts parts(Object owner, SourceForm form) {
    Parts parts = new Parts();
    Expressions owned = expressions.ownedBy(owner);
    String scheme = form.verify();
    Map<String, String> options = form.get(SourceFields.OPTIONS);
    if (scheme.isBlank()) {
      parts.problems.add(
          new Problem(
              List.of("body", "verify"),
              "is required; one of " + String.join(", ", Verifiers.schemes()),
              Problem.MISSING));
      parts.refuse();
    }
    if (parts.part("verify", () -> Schemes.get(scheme)) != null) {
      parts.verifier = parts.part("options", () -> verifiers.of(scheme, options));
      if (parts.verifier != null) {
        parts.handshakes = parts.part("options", () -> Handshake.of(scheme, options));
        parts.unwrapping = parts.part("options", () -> Schemes.unwrapping(scheme, options));
        parts.part("dedupeWindow", () -> checkedWindow(form));
      }
      parts.eventType =
          parts.part(
              "eventType",
              () -> RuleText.eventType(form.get(SourceFields.EVENT_TYPE), scheme, owned));
      parts.dedupe =
          parts.part("dedupe", () -> RuleText.dedupe(form.get(SourceFields.DEDUPE), scheme, owned));
    }
    if (form.get(SourceFields.ALLOW_GET) && !Schemes.COVERS_QUERY.contains(scheme)) {
      parts.problems.add(
          Problem.inBody(
              "allowGet",
              "needs a scheme that authenticates more than the body: one of "
                  + String.join(", ", new TreeSet<>(Schemes.COVERS_QUERY))));
    }
    for (String prefix : RESERVED) {
      if (form.name().startsWith(prefix)) {
        parts.problems.add(Problem.inBody("name", "may not begin with " + prefix));
      }
    }
    String schema = form.get(SourceFields.SCHEMA);
    parts.schema =
        schema == null
            ? null
            : parts.part("schema", () -> BodySchema.parse(schema, owner, evaluator));
    parts.allowed =
        parts.part(
            "allowedIps",
            () -> form.get(SourceFields.ALLOWED_IPS).stream().map(Cidr::parse).toList());
    FieldValues cron = form.get(SourceFields.CRON);
    parts.cron =
        cron == null
            ? null
            : parts.part(
                "cron",
                () ->
                    CronSchedule.parse(
                        cron.get(SourceFields.SCHEDULE), cron.get(SourceFields.TIMEZONE)));
    for (Map.Entry<String, String> header :
        form.get(SourceFields.RESPONSE).get(SourceFields.HEADERS).entrySet()) {
      parts.part("response", () -> checkedHeader(header));
    }
    return parts;
  }

  /** A Mailgun token may be used only once, which only the dedupe rule ensures. */
  private static @Nullable Duration checkedWindow(SourceForm form) {
    Duration window = form.get(SourceFields.DEDUPE_WINDOW);
    if (window != null && form.verify().equals("mailgun")) {
      Duration tolerance =
          SchemeOptions.of(
                  "mailgun", form.get(SourceFields.OPTIONS), Schemes.get("mailgun").options())
              .tolerance(Freshness.FIVE_MINUTES);
      if (window.compareTo(tolerance) < 0) {
        throw new IllegalArgumentException(
            "must be at least the tolerance of the scheme ("
                + Quantities.show(tolerance)
                + "); otherwise a request could be replayed after it");
      }
    }
    return window;
  }

  private static String checkedHeader(Map.Entry<String, String> header) {
    String value = header.getValue();
    if (!value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c <= '~'))) {
      throw new IllegalArgumentException(
          "the header " + header.getKey() + " may contain only visible ASCII characters");
    }
    String name = RuleText.headerName(header.getKey());
    String lower = name.toLowerCase(Locale.ROOT);
    if (Set.of("content-length", "transfer-encoding", "connection", "upgrade", "trailer")
        .contains(lower)) {
      throw new IllegalArgumentException("the header " + name + " is reserved by the server");
    }
    return name;
  }

  private static CompiledSource.SecretHeaders secretHeaders(SourceForm form) {
    String option = form.get(SourceFields.OPTIONS).get("header");
    if (option == null) {
      return new CompiledSource.SecretHeaders(Set.of(), Set.of());
    }
    String header = option.toLowerCase(Locale.ROOT);
    if (SECRET_IN_HEADER.contains(form.verify())) {
      return new CompiledSource.SecretHeaders(Set.of(header), Set.of());
    }
    return new CompiledSource.SecretHeaders(
        Set.of(), header.equals("authorization") ? Set.of() : Set.of(header));
  }

  /** The compiled parts of a source, and the problems found so far. */
  private static final class Parts {
    final List<Problem> problems = new ArrayList<>();
    @Nullable Verifier verifier;
    @Nullable List<Handshake> handshakes;
    @Nullable UnaryOperator<InboundRequest> unwrapping;
    @Nullable EventTypeRule eventType;
    @Nullable DedupeRule dedupe;
    @Nullable BodySchema schema;
    @Nullable List<Cidr> allowed;
    @Nullable CronSchedule cron;

    <T extends @Nullable Object> @Nullable T part(String field, Supplier<T> maker) {
      try {
        return maker.get();
      } catch (IllegalArgumentException e) {
        problems.add(Problem.inBody(field, String.valueOf(e.getMessage())));
        return null;
      }
    }

    void refuse() {
      if (!problems.isEmpty()) {
        throw new InvalidFields(problems);
      }
    }
  }
}
