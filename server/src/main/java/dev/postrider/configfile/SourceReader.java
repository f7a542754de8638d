package dev.postrider.configfile;

import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.Expressions;
import dev.postrider.field.Field;
import dev.postrider.inbound.compiled.SourceCompiler;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.verify.Verifiers;
import dev.postrider.inbound.verify.provider.SnsCertificates;
import dev.postrider.json.InvalidFields;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads sources, and rejects those that could never accept a request. */
final class SourceReader {
  private static final String EVENT_TYPE_SECRETS =
      Objects.requireNonNull(SourceFields.EVENT_TYPE_SECRETS.fileName());

  /** What cannot be judged while the scheme is not known. */
  private static final List<String> OF_SCHEME =
      Stream.of(
              SourceFields.VERIFY,
              SourceFields.SECRETS,
              SourceFields.EVENT_TYPE_SECRETS,
              SourceFields.OPTIONS)
          .map(Field::fileName)
          .toList();

  private static final List<String> OF_REQUESTS = ofRequests();

  private static final List<String> OF_CRON =
      FieldKeys.of(SourceFields.CRON)
          .map(FieldShape.Key::name)
          .filter(key -> !key.equals(SourceFields.CRON.fileName()))
          .toList();

  private final FieldReader fields;
  private final FileProblems problems;

  /** Validates schemes and options; verifies no requests. */
  private final Verifiers verifiers =
      new Verifiers(
          new SnsCertificates(
              url -> {
                throw new IOException(
                    "certificates are not available while a file is validated: " + url);
              },
              Set.of()));

  private final SourceCompiler sourceCompiler;

  SourceReader(
      FieldReader fields, Expressions expressions, Evaluator evaluator, FileProblems problems) {
    this.fields = fields;
    this.sourceCompiler = new SourceCompiler(verifiers, expressions, evaluator);
    this.problems = problems;
  }

  /** The keys that a cron source does not have. */
  private static List<String> ofRequests() {
    Set<Field<?>> ofCron = SourceFields.OF_CRON.stream().collect(Collectors.toSet());
    return SourceFields.ALL.inFile().stream()
        .filter(field -> !ofCron.contains(field))
        .map(Field::fileName)
        .toList();
  }

  Document.NamedSource read(FileFields entry) {
    boolean cron = entry.has("cron") || isBad(entry, "cron");
    if (cron) {
      refuse(
          entry,
          OF_REQUESTS,
          "applies only to sources that receive requests, not to cron sources; remove one of"
              + " the two");
    } else {
      refuse(entry, OF_CRON, "applies only to cron sources; add cron, or remove this");
      if (!entry.has("verify") && !isBad(entry, "verify")) {
        problems.add(
            entry.place(),
            entry.key(),
            "verify (or cron) is required; add verify: github, or verify: none to accept all"
                + " requests");
      }
    }
    FileValues values = values(entry);
    Document.NamedSource source =
        new Document.NamedSource(entry.place(), entry.key(), values, secrets(values));
    check(entry, source.form(), source.secrets());
    return source;
  }

  /** All of them, except those that the provider gave: the file does not know them. */
  private static SecretChange secrets(FileValues values) {
    SecretChange change =
        SecretChange.ofTexts(values.writeOnly().get(SourceFields.EVENT_TYPE_SECRETS), true);
    List<String> others = values.writeOnly().get(SourceFields.SECRETS);
    return others == null && Verifiers.learnsSecret(values.stored().get(SourceFields.VERIFY))
        ? change
        : change.withTexts(others);
  }

  private boolean isBad(FileFields entry, String field) {
    return problems.isAbout(entry.key() + "." + field);
  }

  private void refuse(FileFields entry, List<String> fields, String why) {
    for (String field : fields) {
      if (entry.has(field)) {
        problems.add(entry.at(field), entry.key() + "." + field, why);
      }
    }
  }

  private FileValues values(FileFields entry) {
    FileValues values = fields.read(entry, SourceFields.ALL).with(SourceFields.NAME, entry.name());
    // That it is required has been reported; the rest is checked as if nothing were verified.
    return values.stored().get(SourceFields.VERIFY).isEmpty()
        ? values.with(SourceFields.VERIFY, SourceForm.NONE)
        : values;
  }

  private static String upper(String word) {
    return word.toUpperCase(Locale.ROOT);
  }

  private void check(FileFields entry, SourceForm form, SecretChange secrets) {
    try {
      sourceCompiler.check(entry.key(), form, secrets, entry.has(EVENT_TYPE_SECRETS));
    } catch (InvalidFields e) {
      e.problems()
          .forEach(
              problem -> {
                String key = inFile(problem.loc().getLast());
                if (!isBad(entry, "verify") || !OF_SCHEME.contains(key)) {
                  problems.add(entry.at(key), entry.key() + "." + key, problem.msg());
                }
              });
      return;
    }
    if (secrets.namesAfter(List.of()).isEmpty()
        && !isBad(entry, "secret")
        && !isBad(entry, EVENT_TYPE_SECRETS)
        && !isBad(entry, "options")
        && sourceCompiler.needsSecret(form)) {
      problems.add(
          entry.place(),
          entry.key(),
          "secret is required by %s; add secret: \"${%s_SECRET}\""
              .formatted(form.verify(), upper(entry.name()).replaceAll("[^A-Z0-9]", "_")));
    }
  }

  /** The name in the file of a field of the API. */
  private static String inFile(String field) {
    return SourceFields.ALL.stream()
        .filter(declared -> declared.name().equals(field))
        .map(Field::fileName)
        .findFirst()
        .orElse(field);
  }
}
