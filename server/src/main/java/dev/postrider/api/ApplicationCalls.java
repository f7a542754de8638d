package dev.postrider.api;

import dev.postrider.endpoint.EndpointStore;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.ApiKey;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSettings;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.UpsertResult;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The application calls. */
final class ApplicationCalls implements EndpointOwner {
  private final ApplicationStore store;
  private final EndpointStore endpoints;

  ApplicationCalls(ApplicationStore store, EndpointStore endpoints) {
    this.store = store;
    this.endpoints = endpoints;
  }

  /** The application that the path names, if the caller may see it. */
  @Override
  public Application inPath(Call call) {
    ApiKey key = call.key();
    Application found = store.find(key.environmentId(), call.parameter(0));
    if (found == null || (key.applicationId() != null && !key.applicationId().equals(found.id()))) {
      throw ApiError.notFound("application");
    }
    return found;
  }

  @Nullable Application find(String environmentId, String name) {
    return store.find(environmentId, name);
  }

  Application named(String environmentId, String name) {
    Application found = store.find(environmentId, name);
    if (found == null) {
      throw ApiError.notFound("application");
    }
    return found;
  }

  void list(Call call) {
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.APPLICATION, text));
    ApplicationStore.Filter filter =
        new ApplicationStore.Filter(
            call.query().flag("exclude_apps_with_no_endpoints", false),
            call.query().flag("exclude_apps_with_disabled_endpoints", false),
            call.query().flag("exclude_apps_with_svix_play_endpoints", false));
    Keyset.Page<Application> page = store.list(call.environmentId(), filter, keyset);
    call.json(200, Pages.page(page, ApplicationCalls::idText, this::write));
  }

  /** Some of an environment's applications. */
  Keyset.Page<Application> page(String environmentId, Keyset<Id> keyset) {
    return store.list(environmentId, keyset);
  }

  void create(Call call) throws IOException {
    boolean getIfExists = call.query().flag("get_if_exists", false);
    ApplicationSpec spec = ApplicationForm.create(call.fields());
    if (getIfExists) {
      UpsertResult<Application> saved = store.createOrGet(call.environmentId(), spec);
      answer(call, saved.created() ? 201 : 200, saved.value());
    } else {
      answer(call, 201, store.create(call.environmentId(), spec));
    }
  }

  void get(Call call) {
    answer(call, 200, inPath(call));
  }

  void put(Call call) throws IOException {
    if (call.key().applicationId() != null) {
      inPath(call);
    }
    String name = call.parameter(0);
    Fields fields = call.fields();
    ApplicationSpec fresh = ApplicationForm.create(fields, name);
    UnaryOperator<ApplicationSpec> change = ApplicationForm.replace(fields, name);
    UpsertResult<Application> saved = store.upsert(call.environmentId(), name, fresh, change);
    if (saved == null) {
      throw ApiError.notFound("application");
    }
    answer(call, saved.created() ? 201 : 200, saved.value());
  }

  void patch(Call call) throws IOException {
    Application application = inPath(call);
    Fields fields = call.fields();
    if (call.key().applicationId() != null) {
      refuseForeign(fields);
    }
    UnaryOperator<ApplicationSpec> change = ApplicationForm.patch(fields);
    Application after = store.update(call.environmentId(), idText(application), change);
    if (after == null) {
      throw ApiError.notFound("application");
    }
    answer(call, 200, after);
  }

  /** What the application was granted is not its own to change, nor the name it is known by. */
  private static void refuseForeign(Fields fields) {
    for (String name : ApplicationForm.GRANTED) {
      if (fields.has(name)) {
        throw ApiError.forbidden(
            "an application's own key cannot change "
                + name
                + "; use an API key of the environment");
      }
    }
  }

  void delete(Call call) {
    if (!store.delete(call.environmentId(), idText(inPath(call)))) {
      throw ApiError.notFound("application");
    }
    call.noContent();
  }

  /**
   * The application of that name, made as described if there is none: what a message or a portal's
   * token with an application in it asks for. Of one that is there, the description changes
   * nothing.
   */
  Application ensure(String environmentId, String name, Fields described) {
    Application found = store.find(environmentId, name);
    if (found != null) {
      return found;
    }
    if (name.startsWith(IdKind.APPLICATION.prefix())) {
      throw ApiError.notFound("application");
    }
    ApplicationSpec spec = ApplicationForm.under(described, name);
    return store.createOrGet(environmentId, spec).value();
  }

  private void answer(Call call, int status, Application application) {
    call.json(status, out -> out.object(o -> write(o, application)));
  }

  static String idText(Application application) {
    return application.id().text(IdKind.APPLICATION);
  }

  private void write(JsonOut out, Application application) {
    ApplicationSpec spec = application.spec();
    ApplicationSettings settings = spec.settings();
    out.text("id", idText(application))
        .textOrNull("uid", spec.uid())
        .text("name", spec.name())
        .textsByName("metadata", spec.metadata())
        .numberOrNull("throttleRate", spec.throttleRate())
        .numberOrNull("rateLimit", spec.throttleRate())
        .flag("active", spec.active())
        .textOrNull("retryPolicy", spec.settings().retryPolicy())
        .object(
            "limits",
            o ->
                o.number("maxEndpoints", endpoints.limit(application))
                    .numberOrNull("requestsPerSecond", settings.requestsPerSecond())
                    .numberOrNull("maxPayloadBytes", settings.maxPayloadBytes())
                    .number("maxInFlight", settings.grant().mostInFlight())
                    .number("timeoutMs", settings.grant().longestTimeoutMs())
                    .text("ordering", settings.grant().fifo() ? "fifo" : "none"))
        .object("retention", o -> RequestForms.write(o, settings.retention()))
        .textsOrNull("defaultSubscription", settings.defaultSubscription())
        .time("createdAt", application.createdAtMs())
        .time("updatedAt", application.updatedAtMs());
  }
}
