package dev.postrider.configfile;

import dev.postrider.alert.AlertForm;
import dev.postrider.alert.AlertTarget;
import dev.postrider.config.Setting;
import dev.postrider.config.Settings;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.engine.services.EvaluationServices;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.eventtype.EventType;
import dev.postrider.eventtype.EventTypeFields;
import dev.postrider.eventtype.PayloadSchema;
import dev.postrider.eventtype.SchemaCheck;
import dev.postrider.eventtype.SchemaVersions;
import dev.postrider.expression.Expressions;
import dev.postrider.json.ObjectRule;
import dev.postrider.queue.QueueFields;
import dev.postrider.tenant.ApplicationSettings;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.Grant;
import dev.postrider.tenant.RetentionSettings;
import dev.postrider.tenant.Secrecy;
import dev.postrider.text.Nearest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Converts a validated tree to a document, and checks references between entries. */
final class DocumentReader {
  private final YamlValue.Table file;
  private final Set<String> sources;
  private final Set<String> handlers;
  private final Set<String> workflows;
  private final Evaluator evaluator;
  private final Expressions expressions;
  private final FileProblems problems;
  private final FieldReader fields;

  /**
   * @param file what passed the checker
   * @param sources all that the file names, also those that did not pass
   * @param handlers the same
   * @param workflows the same
   */
  DocumentReader(
      YamlValue.Table file,
      Set<String> sources,
      Set<String> handlers,
      Set<String> workflows,
      EvaluationServices evaluation,
      FileProblems problems) {
    this.file = file;
    this.sources = sources;
    this.handlers = handlers;
    this.workflows = workflows;
    this.evaluator = evaluation.evaluator();
    this.expressions = evaluation.expressions();
    this.problems = problems;
    this.fields = new FieldReader(expressions, problems);
  }

  Document read() {
    List<Document.Receiver> handlers = new ArrayList<>();
    for (FileFields entry : FileFields.entries(file, "handlers")) {
      handlers.add(receiver(entry, source(entry), entry.name()));
    }
    List<Document.Receiver> endpoints = new ArrayList<>();
    for (FileFields entry : FileFields.entries(file, "endpoints")) {
      endpoints.add(
          receiver(entry, entry.text("application", ""), entry.text("uid", entry.name())));
    }
    refuseTwins(handlers, endpoints);
    return new Document(
        sources(),
        handlers,
        routes(Stream.concat(handlers.stream(), endpoints.stream()).toList()),
        queues(),
        workflows(),
        FileFields.entries(file, "event_types").stream().map(this::eventType).toList(),
        FileFields.entries(file, "applications").stream().map(this::application).toList(),
        endpoints,
        FileFields.entries(file, "alerts").stream().map(DocumentReader::alert).toList(),
        settings());
  }

  /** A handler or an endpoint. Both become endpoints. */
  private Document.Receiver receiver(FileFields entry, String application, String uid) {
    Document.Receiver receiver =
        new Document.Receiver(
            entry.place(),
            entry.key(),
            application,
            uid,
            fields.read(entry, EndpointFields.ALL).with(EndpointFields.UID, uid));
    // The secret of an unknown scheme cannot be judged.
    if (!problems.isAbout(entry.key() + ".signature")) {
      checkSecret(entry, receiver);
    }
    return receiver;
  }

  private void checkSecret(FileFields entry, Document.Receiver receiver) {
    String secret = receiver.values().writeOnly().get(EndpointFields.SECRET);
    String problem = secret == null ? null : receiver.scheme().keyProblem(secret);
    if (problem != null) {
      problems.add(entry.at("secret"), entry.key() + ".secret", problem);
    }
  }

  private static Document.NamedAlert alert(FileFields entry) {
    return new Document.NamedAlert(
        entry.place(),
        entry.key(),
        new AlertTarget(
            entry.name(),
            entry.text("type", AlertForm.GENERIC.text()),
            entry.text("url", ""),
            entry.texts("on")));
  }

  private String source(FileFields entry) {
    String name = entry.text("source", "");
    if (entry.has("source") && !sources.contains(name)) {
      String guess =
          Nearest.to(name, sources)
              .map(near -> "Did you mean " + near + "?")
              .orElse(
                  "Add sources: { %s: … }%s. %s"
                      .formatted(
                          name,
                          sources.isEmpty() ? "" : ", or use " + String.join(" or ", sources),
                          ofTheServer(entry, name)));
      problems.add(
          entry.at("source"),
          entry.key() + ".source",
          "the source %s is not defined in this file. %s".formatted(name, guess));
    }
    return name;
  }

  /** What to do about a source that the file does not own because the API made it. */
  private static String ofTheServer(FileFields entry, String name) {
    return entry.key().startsWith("handlers.")
        ? "If %s was created with the API, write endpoints: { %s: { application: %s, url: … } } instead"
            .formatted(name, entry.name(), name)
        : "If %s was created with the API, create this with the API too".formatted(name);
  }

  /** An endpoint's name is unique in its application. */
  private void refuseTwins(List<Document.Receiver> handlers, List<Document.Receiver> endpoints) {
    Twins twins = new Twins();
    List<Document.Receiver> all = new ArrayList<>(handlers);
    all.addAll(endpoints);
    for (Document.Receiver receiver : all) {
      if (receiver.application().isEmpty()) {
        continue; // already reported
      }
      twins.refuse(
          receiver.application() + "/" + receiver.uid(),
          receiver.place(),
          receiver.key(),
          before ->
              "has the same application and name as %s; rename one of them".formatted(before));
    }
  }

  /** Reports entries that must be unique in the file and appear twice. */
  private final class Twins {
    private final Map<String, String> seen = new HashMap<>();

    /**
     * @param text made of the key of the first one
     */
    void refuse(String what, FilePosition place, String key, UnaryOperator<String> text) {
      String before = seen.putIfAbsent(what, key);
      if (before != null) {
        problems.add(place, key, text.apply(before));
      }
    }
  }

  private List<Document.NamedSource> sources() {
    SourceReader reader = new SourceReader(fields, expressions, evaluator, problems);
    return FileFields.entries(file, "sources").stream().map(reader::read).toList();
  }

  private List<Document.NamedWorkflow> workflows() {
    List<FileFields> entries = FileFields.entries(file, "workflows");
    entries.forEach(this::source);
    return new WorkflowReader(fields, expressions, evaluator, problems).read(entries, workflows);
  }

  private List<Document.Route> routes(List<Document.Receiver> receivers) {
    Twins twins = new Twins();
    List<Document.Route> routes = new ArrayList<>();
    for (FileFields entry : FileFields.items(file, "routes")) {
      String source = source(entry);
      String event = entry.text("event", "");
      AgentRoute.Spec spec = route(entry, source, event, target(entry, source, receivers));
      Document.Route route = new Document.Route(entry.place(), entry.key(), spec);
      if (!source.isEmpty() && !event.isEmpty()) {
        twins.refuse(
            route.name(),
            entry.place(),
            entry.key(),
            before ->
                "%s of %s already has a route%s, %s; %s"
                    .formatted(event, source, shown(spec.target()), before, fix(spec.target())));
      }
      routes.add(route);
    }
    return routes;
  }

  private static String shown(AgentRoute.Target target) {
    return switch (target) {
      case AgentRoute.Target.AllEndpoints() -> "";
      case AgentRoute.Target.OneEndpoint(String handler) -> " to " + handler;
      case AgentRoute.Target.OwnEndpoint _ -> " with a url";
    };
  }

  private static String fix(AgentRoute.Target target) {
    return target instanceof AgentRoute.Target.OwnEndpoint
        ? "for a second URL, add a handler and set it in the route"
        : "remove one of the two";
  }

  private AgentRoute.Target target(
      FileFields entry, String source, List<Document.Receiver> receivers) {
    String handler = entry.text("handler");
    String url = entry.text("url");
    if (handler != null && url != null) {
      problems.add(entry.place(), entry.key(), "has both handler and url; remove one of the two");
    }
    if (handler != null) {
      refuseUnknownHandler(entry, source, handler, receivers);
      return new AgentRoute.Target.OneEndpoint(handler);
    }
    return url == null
        ? AgentRoute.Target.ALL
        : new AgentRoute.Target.OwnEndpoint(FieldReader.canonicalUrl(url));
  }

  /** A handler of the route's source, or an endpoint of the application that it feeds. */
  private void refuseUnknownHandler(
      FileFields entry, String source, String handler, List<Document.Receiver> receivers) {
    Set<String> known = new TreeSet<>();
    String elsewhere = null;
    for (Document.Receiver receiver : receivers) {
      if (receiver.application().equals(source)) {
        known.add(receiver.uid());
      } else if (receiver.uid().equals(handler)) {
        elsewhere = receiver.application();
      }
    }
    if (source.isEmpty() || known.contains(handler)) {
      return;
    }
    if (elsewhere != null && !elsewhere.isEmpty()) {
      problems.add(
          entry.at("handler"),
          entry.key() + ".handler",
          "the handler %s receives the events of %s, but this is a route of %s; use a handler of %3$s"
              .formatted(handler, elsewhere, source));
    } else if (!handlers.contains(handler)) { // else it is reported where it stands
      problems.add(
          entry.at("handler"),
          entry.key() + ".handler",
          "the handler %s is not defined in this file. %s"
              .formatted(handler, guess(handler, source, known)));
    }
  }

  private static String guess(String handler, String source, Set<String> known) {
    return Nearest.to(handler, known)
        .map(near -> "Did you mean " + near + "?")
        .orElse(
            "Add handlers: { %s: { source: %s, url: … } }%s"
                .formatted(
                    handler,
                    source,
                    known.isEmpty() ? "" : ", or use " + String.join(" or ", known)));
  }

  private AgentRoute.Spec route(
      FileFields entry, String source, String event, AgentRoute.Target target) {
    if (entry.has("session")) {
      fields.checkExpression(entry, "session");
    }
    return new AgentRoute.Spec(
        source,
        event,
        new AgentRoute.Instructions(
            entry.text("agent_intent", ""),
            entry.text("target_session"),
            entry.text("session"),
            entry.text("session_header"),
            entry.textsByName("annotations"),
            AgentRoute.Profile.AGENT.text().equals(entry.text("profile"))
                ? AgentRoute.Profile.AGENT
                : AgentRoute.Profile.STANDARD),
        target);
  }

  private List<Document.NamedQueue> queues() {
    Twins twins = new Twins();
    List<Document.NamedQueue> queues = new ArrayList<>();
    for (FileFields entry : FileFields.entries(file, "queues")) {
      String key = entry.text("key");
      if (key != null) {
        twins.refuse(
            key,
            entry.at("key"),
            entry.key() + ".key",
            before -> "is the same as %s; each queue needs a different key".formatted(before));
      }
      queues.add(queue(entry));
    }
    return queues;
  }

  private Document.NamedQueue queue(FileFields entry) {
    return new Document.NamedQueue(
        entry.place(),
        entry.key(),
        source(entry),
        fields.read(entry, QueueFields.ALL).with(QueueFields.NAME, entry.name()));
  }

  private Document.NamedEventType eventType(FileFields entry) {
    EventType.Spec spec = new EventType.Spec(fields.read(entry, EventTypeFields.ALL).stored());
    checkSchema(entry, spec);
    return new Document.NamedEventType(entry.place(), entry.key(), entry.name(), spec);
  }

  /** A schema that messages are held against must be one; any other is only kept. */
  private void checkSchema(FileFields entry, EventType.Spec spec) {
    if (spec.schemaCheck() == SchemaCheck.OFF) {
      return;
    }
    JsonNode newest = SchemaVersions.newest(spec.get(EventTypeFields.SCHEMAS));
    if (newest == null) {
      problems.add(
          entry.place(),
          entry.key(),
          "needs a schema to validate with; add schema: { type: object }");
      return;
    }
    String problem =
        FileFormats.refusal(() -> PayloadSchema.compile(newest, entry.key(), evaluator));
    if (problem != null) {
      String field = entry.has("schemas") ? "schemas" : "schema";
      problems.add(entry.at(field), entry.key() + "." + field, problem);
    }
  }

  private String metadata(FileFields entry) {
    String json = fields.jsonObject(entry, "metadata", EndpointFields.METADATA_RULE);
    return json == null ? ObjectRule.EMPTY : json;
  }

  private Document.NamedApplication application(FileFields entry) {
    String uid = entry.name();
    return new Document.NamedApplication(
        entry.place(),
        entry.key(),
        uid,
        new ApplicationSpec(
            uid,
            entry.text("name", uid),
            metadata(entry),
            entry.whole("throttle"),
            !Boolean.FALSE.equals(entry.flag("active")),
            new ApplicationSettings(
                    entry.retry(),
                    entry.whole("max_endpoints"),
                    retention(entry.inner("retention")))
                .with(
                    new Grant(
                        entry.whole("max_in_flight"),
                        entry.milliseconds("timeout"),
                        "fifo".equals(entry.text("ordering"))))
                .withIdempotencyWindow(entry.milliseconds("idempotency_window"))
                .with(
                    new Secrecy(
                        Boolean.TRUE.equals(entry.flag("hide_secrets")),
                        Boolean.TRUE.equals(entry.flag("own_data_key"))))),
        entry.flag("active"));
  }

  private static RetentionSettings retention(@Nullable FileFields entry) {
    return entry == null
        ? RetentionSettings.NONE
        : new RetentionSettings(
            hours(entry.duration("delivered")),
            hours(entry.duration("dead_letters")),
            hours(entry.duration("unrouted")));
  }

  private static @Nullable Integer hours(@Nullable Duration duration) {
    return duration == null ? null : Math.max(1, Math.toIntExact(duration.toHours()));
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    if (file.find("settings") instanceof YamlValue.Table table) {
      FileFields fields = new FileFields("settings", table);
      for (Setting<?> setting : Settings.all()) {
        String name = setting.name().toLowerCase(Locale.ROOT);
        if (fields.has(name)) {
          settings.put(setting.variable(), String.join(",", fields.texts(name)));
        }
      }
    }
    return settings;
  }
}
