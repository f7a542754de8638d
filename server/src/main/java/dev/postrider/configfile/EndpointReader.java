package dev.postrider.configfile;

import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.options.Secret;
import dev.postrider.signature.SignatureScheme;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads handlers and endpoints from the file. Both become endpoints; a handler belongs to the
 * application of its source.
 */
final class EndpointReader {
  private final FieldReader fields;
  private final FileProblems problems;

  EndpointReader(FieldReader fields, FileProblems problems) {
    this.fields = fields;
    this.problems = problems;
  }

  Document.Receiver read(FileFields entry, String application, String uid) {
    EndpointSpec spec =
        withProfile(entry, new EndpointSpec(fields.read(entry, EndpointFields.ALL.inFile())))
            .with(EndpointFields.UID, uid);
    return new Document.Receiver(
        entry.place(),
        entry.key(),
        application,
        uid,
        spec,
        entry.flag("enabled"),
        headers(entry),
        // Of a scheme that is none the secret cannot be judged.
        problems.isAbout(entry.key() + ".signature")
            ? null
            : secret(entry, spec.get(EndpointFields.SIGNATURE_SCHEME)));
  }

  /** A delay and a schedule for agents, unless the file has its own. */
  private static EndpointSpec withProfile(FileFields entry, EndpointSpec given) {
    EndpointSpec spec = given;
    if ("agent".equals(entry.text("profile"))) {
      if (!entry.has("initial_delay")) {
        spec = spec.with(EndpointFields.INITIAL_DELAY_MS, AgentRoute.Profile.AGENT_DELAY_MS);
      }
      if (!entry.has("retry")) {
        spec = spec.with(EndpointFields.RETRY_POLICY, AgentRoute.Profile.AGENT_SCHEDULE);
      }
    }
    return spec;
  }

  private Map<String, String> headers(FileFields entry) {
    Map<String, String> headers = entry.textsByName("headers");
    headers.forEach(
        (name, value) -> {
          String problem = HeaderRules.problem(name, value);
          if (problem != null) {
            problems.add(entry.at("headers", name), entry.key() + ".headers." + name, problem);
          }
        });
    return headers;
  }

  private @Nullable Secret secret(FileFields entry, @Nullable String scheme) {
    String text = entry.text("secret");
    if (text == null) {
      return null;
    }
    try {
      var _ = SignatureScheme.of(scheme).parseKey(text);
      return new Secret(text);
    } catch (IllegalArgumentException e) {
      problems.add(
          entry.at("secret"),
          entry.key() + ".secret",
          String.valueOf(e.getMessage()).replaceFirst("^secret: ", ""));
      return null;
    }
  }
}
