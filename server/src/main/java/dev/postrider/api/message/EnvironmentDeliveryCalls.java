package dev.postrider.api.message;

import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.store.EnvironmentDeliveryReader;
import dev.postrider.delivery.store.LaneReader;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.LaneId;
import dev.postrider.id.QueueId;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The API call that lists deliveries over all applications of the environment. If the key, the
 * query or the endpoint determines the application, it is the list of that application.
 */
final class EnvironmentDeliveryCalls {
  private final ApplicationLookup applications;
  private final LaneReader lanes;
  private final EnvironmentDeliveryReader reader;
  private final DeliveryCalls ofApplication;
  private final DeliveryOut out;

  EnvironmentDeliveryCalls(
      ApplicationLookup applications,
      LaneReader lanes,
      EnvironmentDeliveryReader reader,
      DeliveryCalls ofApplication,
      DeliveryOut out) {
    this.applications = applications;
    this.lanes = lanes;
    this.reader = reader;
    this.ofApplication = ofApplication;
    this.out = out;
  }

  void list(Call call) {
    Application application = application(call);
    if (application != null) {
      ofApplication.list(call, application);
      return;
    }
    Query query = call.query();
    Keyset<Id> keyset = query.page(text -> Id.parse(IdKind.DELIVERY, text), false);
    DeliveryStatus status = DeliveryCalls.status(query);
    String session = query.text("session_id", DeliveryCalls.SESSION);
    if (session == null && status != null && !EnvironmentDeliveryReader.OPEN.contains(status)) {
      throw query.wrong(
          "status",
          "over all applications, only pending, failed and dead_letter deliveries are listed; add"
              + " application, endpoint_id or session_id to list those that are "
              + status.text());
    }
    Keyset.Found<Id, EnvironmentDeliveryReader.Listed> found =
        reader.list(
            new EnvironmentDeliveryReader.Filter(
                call.environmentId(),
                statuses(status, session),
                session,
                DeliveryCalls.signature(query),
                query.time("before"),
                query.time("after")),
            keyset);
    call.json(
        200,
        Pages.searched(
            found,
            keyset.backward(),
            IdKind.DELIVERY,
            DeliveryOut::idText,
            out.items(call, found.page().items())));
  }

  /** How many wait and how many are dead, counted up to a maximum. */
  void count(Call call) {
    Application application = applications.inQuery(call);
    EnvironmentDeliveryReader.Totals totals =
        application == null ? reader.totals(call.environmentId()) : reader.totals(application.id());
    call.json(
        200,
        json ->
            json.object(
                o ->
                    o.number("waiting", totals.waiting())
                        .number("deadLetters", totals.deadLetters())
                        .flag("approximated", totals.more())));
  }

  private static Set<DeliveryStatus> statuses(
      @Nullable DeliveryStatus status, @Nullable String session) {
    if (status != null) {
      return Set.of(status);
    }
    return session == null ? EnvironmentDeliveryReader.OPEN : EnumSet.allOf(DeliveryStatus.class);
  }

  private @Nullable Application application(Call call) {
    Application named = applications.inQuery(call);
    String target = call.query().text("endpoint_id", Limits.UID_RULE);
    if (named != null || target == null) {
      return named;
    }
    boolean queue = target.startsWith(IdKind.QUEUE.prefix());
    if (!queue && !target.startsWith(IdKind.ENDPOINT.prefix())) {
      throw call.query()
          .wrong(
              "endpoint_id",
              "is a uid, which belongs to one application; add application, or use the id");
    }
    LaneId lane = queue ? QueueId.parse(target) : EndpointId.parse(target);
    ApplicationId owner = lane == null ? null : lanes.applicationOf(lane);
    Application found =
        owner == null ? null : applications.find(call.environmentId(), owner.text());
    if (found == null) {
      throw ApiError.notFound(queue ? "queue" : "endpoint");
    }
    return found;
  }
}
