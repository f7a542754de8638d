package dev.postrider.file;

import dev.postrider.inbound.SnsCertificates;
import dev.postrider.inbound.SourceSecret;
import dev.postrider.inbound.Verifier;
import dev.postrider.inbound.Verifiers;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads sources, and refuses a verification that could never succeed. */
final class Sources {
  private final Problems problems;

  /** Only asked whether a scheme and its options make sense; it verifies nothing. */
  private final Verifiers verifiers =
      new Verifiers(
          new SnsCertificates(
              url -> {
                throw new IOException("no certificates while a file is read: " + url);
              },
              Set.of()));

  Sources(Problems problems) {
    this.problems = problems;
  }

  Document.NamedSource read(Fields entry) {
    if (entry.has("cron")) {
      refuseWithCron(entry);
    } else {
      verification(entry);
    }
    return new Document.NamedSource(entry.place(), entry.key(), entry.name());
  }

  private void refuseWithCron(Fields entry) {
    for (String field : List.of("verify", "secret", "options", "allowed_ips", "response")) {
      if (entry.has(field)) {
        problems.add(
            entry.at(field),
            entry.key() + "." + field,
            "is for sources that are called, and cron fires by itself; remove one of the two");
      }
    }
  }

  private void verification(Fields entry) {
    String scheme = entry.text("verify");
    if (scheme == null) {
      problems.add(
          entry.place(),
          entry.key(),
          "lacks verify (or cron); add verify: github, or verify: none to trust everybody");
      return;
    }
    Verifier verifier;
    try {
      verifier = verifiers.of(scheme, entry.textsByName("options"));
    } catch (IllegalArgumentException e) {
      problems.add(entry.at("options"), entry.key() + ".options", String.valueOf(e.getMessage()));
      return;
    }
    List<String> secrets = entry.texts("secret");
    if (verifier.needsSecret() && secrets.isEmpty()) {
      problems.add(
          entry.place(),
          entry.key(),
          "lacks secret, which %s needs; add secret: \"${%s_SECRET}\""
              .formatted(
                  scheme, entry.name().toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_")));
    }
    for (String secret : secrets) {
      String problem = Forms.refusal(() -> verifier.checkSecret(SourceSecret.of(secret)));
      if (problem != null) {
        problems.add(entry.at("secret"), entry.key() + ".secret", problem);
      }
    }
  }
}
