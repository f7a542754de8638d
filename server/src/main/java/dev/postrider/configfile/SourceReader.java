package dev.postrider.configfile;

import dev.postrider.config.Quantities;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.Expressions;
import dev.postrider.inbound.SourceCompiler;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.source.SourceForm.CronForm;
import dev.postrider.inbound.source.SourceForm.Expects;
import dev.postrider.inbound.source.SourceForm.Missed;
import dev.postrider.inbound.source.SourceForm.Reply;
import dev.postrider.inbound.source.SourceForm.Requests;
import dev.postrider.inbound.source.SourceForm.Rules;
import dev.postrider.inbound.source.SourceSecret;
import dev.postrider.inbound.verify.SnsCertificates;
import dev.postrider.inbound.verify.Verifiers;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.TextRule;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads sources, and rejects those that could never accept a request. */
final class SourceReader {
  /** The API's names of what the file calls otherwise. */
  private static final Map<String, String> KEYS =
      Map.of(
          "eventType",
          "event_type",
          "allowedIps",
          "allowed_ips",
          "dedupeWindow",
          "dedupe_window",
          "allowGet",
          "allow_get");

  private static final List<String> OF_REQUESTS =
      List.of(
          "verify",
          "secret",
          "options",
          "event_type",
          "dedupe",
          "dedupe_window",
          "schema",
          "allowed_ips",
          "max_body",
          "expects",
          "allow_unsigned",
          "allow_get",
          "response");

  /** What cannot be judged while the scheme is not known. */
  private static final List<String> OF_SCHEME = List.of("verify", "secret", "options");

  private static final List<String> OF_CRON =
      List.of("timezone", "missed", "payload", "content_type");

  private final FileProblems problems;

  /** Only asked whether schemes and options make sense; they verify nothing. */
  private final Verifiers verifiers =
      new Verifiers(
          new SnsCertificates(
              url -> {
                throw new IOException(
                    "certificates are not available while a file is validated: " + url);
              },
              Set.of()));

  private final SourceCompiler doors;

  SourceReader(Expressions expressions, Evaluator evaluator, FileProblems problems) {
    this.doors = new SourceCompiler(verifiers, expressions, evaluator);
    this.problems = problems;
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
    List<SourceSecret> secrets = entry.texts("secret").stream().map(SourceSecret::of).toList();
    SourceForm form = form(entry);
    check(entry, form, secrets);
    return new Document.NamedSource(
        entry.place(), entry.key(), form, entry.flag("enabled"), secrets);
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

  private SourceForm form(FileFields entry) {
    String size = entry.text("max_body");
    YamlValue schema = entry.table().find("schema");
    return new SourceForm(
        entry.name(),
        entry.text("verify", SourceForm.NONE),
        entry.textsByName("options"),
        !Boolean.FALSE.equals(entry.flag("enabled")),
        new Rules(
            entry.text("event_type", SourceForm.PROVIDER),
            entry.text("dedupe", SourceForm.PROVIDER),
            entry.duration("dedupe_window"),
            schema == null ? null : JsonTree.json(schema).toString()),
        new Requests(
            entry.texts("allowed_ips"),
            size == null ? null : Math.toIntExact(Quantities.parseSize(size)),
            Expects.valueOf(upper(entry.text("expects", "auto"))),
            Boolean.TRUE.equals(entry.flag("allow_unsigned")),
            Boolean.TRUE.equals(entry.flag("allow_get"))),
        reply(entry.inner("response")),
        cron(entry),
        entry.text("description", ""),
        entry.textsByName("metadata"));
  }

  private static Reply reply(@Nullable FileFields entry) {
    if (entry == null) {
      return Reply.DEFAULT;
    }
    Integer status = entry.whole("status");
    return new Reply(
        status == null ? Reply.DEFAULT.status() : status,
        entry.text("body"),
        entry.textsByName("headers"));
  }

  private @Nullable CronForm cron(FileFields entry) {
    String schedule = entry.text("cron");
    return schedule == null
        ? null
        : new CronForm(
            schedule,
            entry.text("timezone", "UTC"),
            Missed.valueOf(upper(entry.text("missed", "once"))),
            payload(entry),
            entry.text("content_type"));
  }

  /** A text as it is, a table as JSON. */
  private @Nullable String payload(FileFields entry) {
    YamlValue value = entry.table().find("payload");
    if (value == null) {
      return null;
    }
    String text =
        value instanceof YamlValue.Scalar scalar ? scalar.text() : JsonTree.json(value).toString();
    String problem = TextRule.upTo(SourceFields.MAX_CRON_PAYLOAD).problem(text);
    if (problem != null) {
      problems.add(value.place(), entry.key() + ".payload", problem);
    }
    return text;
  }

  private static String upper(String word) {
    return word.toUpperCase(Locale.ROOT);
  }

  private void check(FileFields entry, SourceForm form, List<SourceSecret> secrets) {
    try {
      doors.check(entry.key(), form, secrets);
    } catch (InvalidFields e) {
      e.problems()
          .forEach(
              problem -> {
                String field = problem.loc().getLast();
                String key = KEYS.getOrDefault(field, field);
                if (!isBad(entry, "verify") || !OF_SCHEME.contains(key)) {
                  problems.add(entry.at(key), entry.key() + "." + key, problem.msg());
                }
              });
      return;
    }
    if (secrets.isEmpty()
        && !isBad(entry, "secret")
        && !isBad(entry, "options")
        && doors.needsSecret(form)) {
      problems.add(
          entry.place(),
          entry.key(),
          "secret is required by %s; add secret: \"${%s_SECRET}\""
              .formatted(form.verify(), upper(entry.name()).replaceAll("[^A-Z0-9]", "_")));
    }
  }
}
