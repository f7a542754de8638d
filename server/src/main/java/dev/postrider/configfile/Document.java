package dev.postrider.configfile;

import dev.postrider.alert.AlertTarget;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.eventtype.EventType;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.queue.Queue;
import dev.postrider.queue.QueueFields;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.workflow.definition.DefinitionCheck;
import dev.postrider.workflow.definition.WorkflowFields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The objects that a configuration file defines, validated as far as possible without a server.
 *
 * @param handlers endpoints of the application that a source feeds
 * @param settings of the server by the name of their variable, such as {@code POSTRIDER_PORT}
 */
public record Document(
    List<NamedSource> sources,
    List<Receiver> handlers,
    List<Route> routes,
    List<NamedQueue> queues,
    List<NamedWorkflow> workflows,
    List<NamedEventType> eventTypes,
    List<NamedApplication> applications,
    List<Receiver> endpoints,
    List<NamedAlert> alerts,
    Map<String, String> settings) {

  /** All URLs by their keys. */
  Map<String, String> urls() {
    Map<String, String> urls = new LinkedHashMap<>();
    Stream.concat(handlers.stream(), endpoints.stream())
        .forEach(entry -> urls.put(entry.key() + ".url", entry.spec().get(EndpointFields.URL)));
    routes.forEach(
        entry -> {
          if (entry.url() != null) {
            urls.put(entry.key() + ".url", entry.url());
          }
        });
    workflows.forEach(
        entry ->
            DefinitionCheck.urls(entry.values().stored())
                .forEach((place, url) -> urls.put(entry.key() + "." + place.inFile(), url)));
    alerts.forEach(entry -> urls.put(entry.key() + ".url", entry.target().url()));
    return urls;
  }

  /** An entry with its position in the file, for error messages. */
  public interface Entry {
    FilePosition place();

    String key();
  }

  /**
   * An application in the file.
   *
   * @param active null if the file does not set it
   */
  public record NamedApplication(
      FilePosition place, String key, String uid, ApplicationSpec spec, @Nullable Boolean active)
      implements Entry {}

  public record NamedEventType(FilePosition place, String key, String name, EventType.Spec spec)
      implements Entry {}

  /**
   * An endpoint in the file: a handler of a source, or an endpoint of an application.
   *
   * @param application the uid of its application
   */
  public record Receiver(
      FilePosition place, String key, String application, String uid, FileValues values)
      implements Entry {
    public EndpointSpec spec() {
      return new EndpointSpec(values.stored());
    }

    public Map<String, String> headers() {
      return values.writeOnly().get(EndpointFields.HEADERS);
    }

    /** The signing key; null if the server generates it. */
    public @Nullable SigningKey signingKey() {
      String secret = values.writeOnly().get(EndpointFields.SECRET);
      return secret == null ? null : scheme().parseKey(secret);
    }

    public SignatureScheme scheme() {
      return SignatureScheme.of(values.stored().get(EndpointFields.SIGNATURE_SCHEME));
    }

    @Override
    public String toString() {
      return "Receiver[" + key + "]";
    }
  }

  /** A source in the file. */
  public record NamedSource(FilePosition place, String key, FileValues values, SecretChange secrets)
      implements Entry {
    public SourceForm form() {
      return new SourceForm(values.stored());
    }

    public String name() {
      return form().name();
    }
  }

  /**
   * An agent route in the file.
   *
   * @param spec the route; its target names a handler by uid, which may not exist yet
   */
  public record Route(FilePosition place, String key, AgentRoute.Spec spec) implements Entry {
    /** What identifies it: source, event type and handler. */
    public String name() {
      String name = spec.source() + "/" + spec.pattern();
      return switch (spec.target()) {
        case AgentRoute.Target.AllEndpoints() -> name;
        case AgentRoute.Target.OneEndpoint(String handler) -> name + "/" + handler;
        case AgentRoute.Target.OwnEndpoint _ -> name + " (url)";
      };
    }

    /** Where its own endpoint sends; null if it has none. */
    public @Nullable String url() {
      return spec.target() instanceof AgentRoute.Target.OwnEndpoint(String url) ? url : null;
    }
  }

  /** A pull queue in the file. */
  public record NamedQueue(FilePosition place, String key, String source, FileValues values)
      implements Entry {
    public Queue.Spec spec() {
      return new Queue.Spec(values.stored());
    }

    /** The key of its consumers; null if the server generates it. */
    public @Nullable String consumerKey() {
      return values.writeOnly().get(QueueFields.KEY);
    }
  }

  /**
   * A workflow in the file.
   *
   * @param warnings what may be meant and is worth a second look
   */
  public record NamedWorkflow(
      FilePosition place, String key, FileValues values, List<FileProblem> warnings)
      implements Entry {
    public NamedWorkflow {
      warnings = List.copyOf(warnings);
    }

    public String name() {
      return values.stored().get(WorkflowFields.NAME);
    }

    /** The values of its secrets by name. */
    public Map<String, String> secrets() {
      Map<String, String> secrets = values.writeOnly().get(WorkflowFields.SECRETS);
      return secrets == null ? Map.of() : secrets;
    }

    @Override
    public String toString() {
      return "NamedWorkflow[" + key + "]";
    }
  }

  public record NamedAlert(FilePosition place, String key, AlertTarget target) implements Entry {
    public String name() {
      return target.name();
    }

    @Override
    public String toString() {
      return "NamedAlert[" + key + "]";
    }
  }
}
