package dev.postrider.api.ops;

import dev.postrider.alert.AlertForm;
import dev.postrider.alert.AlertKind;
import dev.postrider.alert.AlertTarget;
import dev.postrider.alert.Alerts;
import dev.postrider.api.endpoint.AlertUrls;
import dev.postrider.api.endpoint.EndpointCalls;
import dev.postrider.api.endpoint.UrlCheck;
import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.audit.AuditAction;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.endpoint.EndpointStore.NewEndpoint;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.UpsertResult;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The API calls for alert targets, which are endpoints of the application for alerts. */
final class AlertTargetCalls {
  private static final List<String> FORMS =
      Arrays.stream(AlertForm.values()).map(AlertForm::text).toList();
  private static final List<String> KINDS =
      Arrays.stream(AlertKind.values()).map(AlertKind::text).toList();
  private static final TextRule WORD = TextRule.of(1, 64);

  private final ApplicationStore applications;
  private final EndpointStore endpoints;
  private final UrlCheck urls;
  private final SigningKeyGenerator generator;

  AlertTargetCalls(
      ApplicationStore applications,
      EndpointStore endpoints,
      UrlCheck urls,
      SigningKeyGenerator generator) {
    this.applications = applications;
    this.endpoints = endpoints;
    this.urls = urls;
    this.generator = generator;
  }

  void list(Call call) {
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.ENDPOINT, text));
    Application application = applications.find(call.environmentId(), Alerts.APPLICATION);
    Keyset.Page<Endpoint> page =
        application == null
            ? new Keyset.Page<>(List.of(), true)
            : endpoints.list(application.id(), keyset);
    call.json(
        200,
        Pages.page(
            page,
            EndpointCalls::idText,
            (out, target) -> write(out, target, url(call, application, target))));
  }

  /** Creates or updates the target. */
  void put(Call call) throws IOException {
    String name = call.path("alert");
    Fields fields = call.fields();
    String form = oneOf(fields, "type", FORMS);
    String url = fields.requiredText("url", Limits.URL_RULE);
    List<String> on = fields.texts("on", 0, KINDS.size(), WORD);
    String wrong = Limits.UID_RULE.problem(name);
    if (wrong != null) {
      fields.problem("name", wrong);
    }
    if (name.startsWith(IdKind.ENDPOINT.prefix())) {
      fields.problem("name", "must not start with " + IdKind.ENDPOINT.prefix());
    }
    for (String kind : on == null ? List.<String>of() : on) {
      if (!KINDS.contains(kind)) {
        fields.problem("on", "may contain only " + String.join(", ", KINDS));
      }
    }
    fields.check();
    String refused = urls.problem(call.environmentId(), url);
    if (refused != null) {
      fields.problem("url", refused);
      fields.check();
    }
    AlertTarget target = new AlertTarget(name, form, url, on == null ? List.of() : on);
    Application application =
        applications
            .createOrGet(call.environmentId(), ApplicationSpec.named(Alerts.APPLICATION, "Alerts"))
            .value();
    UpsertResult<Endpoint> saved =
        endpoints.upsert(
            application,
            name,
            new NewEndpoint(target.spec(), generator.first(), Map.of()),
            target::onto);
    if (saved == null) {
      throw ApiError.notFound("alert target");
    }
    // The caller has just sent the URL.
    call.json(saved.created() ? 201 : 200, out -> out.object(o -> write(o, saved.value(), url)));
  }

  private static String oneOf(Fields fields, String name, List<String> allowed) {
    String value = fields.requiredText(name, WORD);
    if (!value.isEmpty() && !allowed.contains(value)) {
      fields.problem(name, "must be one of " + String.join(", ", allowed));
    }
    return value;
  }

  void delete(Call call) {
    Application application = applications.find(call.environmentId(), Alerts.APPLICATION);
    if (application == null
        || !endpoints.delete(application.id(), call.path("alert"), AuditAction.ALERT_DELETE)) {
      throw ApiError.notFound("alert target");
    }
    call.noContent();
  }

  private static String url(Call call, @Nullable Application alerts, Endpoint target) {
    String url = target.spec().get(EndpointFields.URL);
    return alerts == null ? url : AlertUrls.shown(call, alerts, url);
  }

  private static void write(JsonOut out, Endpoint endpoint, String url) {
    EndpointSpec spec = endpoint.spec();
    List<String> on =
        Arrays.stream(AlertKind.values())
            .filter(
                kind ->
                    spec.get(EndpointFields.SUBSCRIPTIONS).isEmpty()
                        || spec.get(EndpointFields.SUBSCRIPTIONS).contains(kind.eventType()))
            .map(AlertKind::text)
            .toList();
    out.textOrNull("name", spec.get(EndpointFields.UID))
        .text(
            "type",
            spec.get(EndpointFields.CHANNELS).isEmpty()
                ? ""
                : spec.get(EndpointFields.CHANNELS).getFirst())
        .text("url", url)
        .texts("on", on)
        .flag("disabled", spec.get(EndpointFields.DISABLED))
        .text("endpointId", EndpointCalls.idText(endpoint));
  }
}
