package dev.postrider.configfile;

import dev.postrider.alert.AlertTarget;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.eventtype.EventType;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.source.SourceSecret;
import dev.postrider.options.Secret;
import dev.postrider.queue.Queue;
import dev.postrider.tenant.ApplicationSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a file asks for, checked as far as that is possible without a server.
 *
 * @param handlers endpoints of the application that a source feeds
 * @param settings of the server by the name of their variable, such as {@code POSTRIDER_PORT}
 */
public record Document(
    List<NamedSource> sources,
    List<Receiver> handlers,
    List<Route> routes,
    List<NamedQueue> queues,
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
    alerts.forEach(entry -> urls.put(entry.key() + ".url", entry.target().url()));
    return urls;
  }

  /** Where an entry stands in the file, so that the server's complaints can name it. */
  interface Entry {
    FilePosition place();

    String key();
  }

  /**
   * @param active null if the file leaves it to others
   */
  record NamedApplication(
      FilePosition place, String key, String uid, ApplicationSpec spec, @Nullable Boolean active)
      implements Entry {}

  record NamedEventType(FilePosition place, String key, String name, EventType.Spec spec)
      implements Entry {}

  /**
   * An endpoint: a handler, or one of an application.
   *
   * @param application its uid
   * @param enabled null if the file leaves it to others
   * @param secret null if the server makes it
   */
  record Receiver(
      FilePosition place,
      String key,
      String application,
      String uid,
      EndpointSpec spec,
      @Nullable Boolean enabled,
      Map<String, String> headers,
      @Nullable Secret secret)
      implements Entry {
    @Override
    public String toString() {
      return "Receiver[" + key + "]";
    }
  }

  /**
   * @param enabled null if the file leaves it to others
   * @param secrets newest first
   */
  record NamedSource(
      FilePosition place,
      String key,
      SourceForm form,
      @Nullable Boolean enabled,
      List<SourceSecret> secrets)
      implements Entry {
    String name() {
      return form.name();
    }
  }

  /**
   * @param spec whose target names a handler by its uid, which may not exist yet
   */
  record Route(FilePosition place, String key, AgentRoute.Spec spec) implements Entry {
    /** Where its own endpoint sends; null if it has none. */
    @Nullable String url() {
      return spec.target() instanceof AgentRoute.Target.OwnEndpoint(String url) ? url : null;
    }
  }

  /**
   * @param readersKey null if the server makes it
   */
  record NamedQueue(
      FilePosition place, String key, String source, Queue.Spec spec, @Nullable Secret readersKey)
      implements Entry {}

  record NamedAlert(FilePosition place, String key, AlertTarget target) implements Entry {
    String name() {
      return target.name();
    }

    @Override
    public String toString() {
      return "NamedAlert[" + key + "]";
    }
  }
}
