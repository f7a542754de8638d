package dev.postrider.api.tenant;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Pages;
import dev.postrider.api.form.RequestForms;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSettings;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.UpsertResult;
import java.io.IOException;
import java.util.function.UnaryOperator;

/** The API calls for applications. */
final class ApplicationCalls {
  private final ApplicationLookup applications;
  private final ApplicationStore store;
  private final EndpointStore endpoints;

  ApplicationCalls(
      ApplicationLookup applications, ApplicationStore store, EndpointStore endpoints) {
    this.applications = applications;
    this.store = store;
    this.endpoints = endpoints;
  }

  void list(Call call) {
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.APPLICATION, text));
    ApplicationStore.Filter filter =
        new ApplicationStore.Filter(
            call.query().flag("exclude_apps_with_no_endpoints", false),
            call.query().flag("exclude_apps_with_disabled_endpoints", false),
            call.query().flag("exclude_apps_with_svix_play_endpoints", false));
    Keyset.Page<Application> page = store.list(call.environmentId(), filter, keyset);
    call.json(200, Pages.page(page, ApplicationLookup::idText, this::write));
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
    answer(call, 200, applications.inPath(call));
  }

  void put(Call call) throws IOException {
    if (call.key().applicationId() != null) {
      applications.inPath(call);
    }
    String name = call.path("application");
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
    Application application = applications.inPath(call);
    Fields fields = call.fields();
    if (call.key().applicationId() != null) {
      refuseForeign(fields);
    }
    UnaryOperator<ApplicationSpec> change = ApplicationForm.patch(fields);
    Application after =
        store.update(call.environmentId(), ApplicationLookup.idText(application), change);
    if (after == null) {
      throw ApiError.notFound("application");
    }
    answer(call, 200, after);
  }

  /** A credential of the application can change neither its grant nor its uid. */
  private static void refuseForeign(Fields fields) {
    for (String name : ApplicationForm.GRANTED) {
      if (fields.has(name)) {
        throw ApiError.forbidden(
            "an API key of an application cannot change "
                + name
                + "; use an API key of the environment");
      }
    }
  }

  void delete(Call call) {
    if (!store.delete(call.environmentId(), ApplicationLookup.idText(applications.inPath(call)))) {
      throw ApiError.notFound("application");
    }
    call.noContent();
  }

  private void answer(Call call, int status, Application application) {
    call.json(status, out -> out.object(o -> write(o, application)));
  }

  private void write(JsonOut out, Application application) {
    ApplicationSpec spec = application.spec();
    ApplicationSettings settings = spec.settings();
    out.text("id", ApplicationLookup.idText(application))
        .textOrNull("uid", spec.uid())
        .text("name", spec.name())
        .raw("metadata", spec.metadata())
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
        .numberOrNull("idempotencyWindowMs", settings.idempotencyWindowMs());
    SecrecyForm.write(out, application.secrecy());
    out.time("createdAt", application.createdAt()).time("updatedAt", application.updatedAt());
  }
}
