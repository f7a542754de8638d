package dev.postrider.api.message;

import dev.postrider.api.endpoint.AlertUrls;
import dev.postrider.api.form.JsonOut;
import dev.postrider.api.http.Call;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.store.DeliveryDetailReader;
import dev.postrider.delivery.store.DeliveryDetailReader.Detail;
import dev.postrider.delivery.store.DeliveryDetailReader.LastAttempt;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.delivery.store.EnvironmentDeliveryReader.Listed;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes deliveries with their application, their target and their last attempt. */
final class DeliveryOut {
  private static final Detail NONE = new Detail(null, false, null, null, null, null);

  private final DeliveryDetailReader reader;

  DeliveryOut(DeliveryDetailReader reader) {
    this.reader = reader;
  }

  /** Writes the items of a page, of which the details are read together. */
  JsonOut.ItemWriting<Listed> items(Call call, List<Listed> page) {
    Map<Id, Detail> details = reader.of(page);
    return (out, item) -> write(call, out, item, details.getOrDefault(item.delivery().id(), NONE));
  }

  static String idText(Listed item) {
    return item.delivery().id().text(IdKind.DELIVERY);
  }

  private static void write(Call call, JsonOut out, Listed item, Detail detail) {
    DeliveryView delivery = item.delivery();
    Id route = delivery.routeId();
    String url = detail.url();
    out.text("id", idText(item))
        .text("applicationId", item.applicationId().text(IdKind.APPLICATION))
        .textOrNull("applicationUid", detail.applicationUid())
        .text("msgId", delivery.messageId().text(IdKind.MESSAGE))
        .text("endpointId", delivery.laneId().text(delivery.laneKind()))
        .textOrNull(
            "url",
            url == null
                ? null
                : AlertUrls.shown(call, detail.applicationUid(), detail.hidesSecrets(), url))
        .textOrNull("queue", detail.queue())
        .text("status", delivery.status().text())
        .number("attempts", delivery.attempts())
        .timeOrNull("nextAttempt", delivery.nextAttemptAtMs())
        .textOrNull("reason", delivery.reason())
        .textOrNull("detail", delivery.detail())
        .textOrNull("routeId", route == null ? null : route.text(IdKind.ROUTE))
        .textOrNull("sessionId", delivery.sessionId())
        .textOrNull("signature", detail.signature())
        .textOrNull("lastError", lastError(delivery, detail.lastAttempt()));
    write(out, detail.lastAttempt());
    out.time("createdAt", delivery.createdAtMs());
  }

  private static void write(JsonOut out, @Nullable LastAttempt attempt) {
    if (attempt == null) {
      out.raw("lastAttempt", null);
      return;
    }
    out.object(
        "lastAttempt",
        o ->
            o.time("timestamp", attempt.sentAtMs())
                .numberOrNull("statusCode", attempt.statusCode())
                .text("outcome", attempt.outcome().name().toLowerCase(Locale.ROOT)));
  }

  /** Why the last attempt failed, or why there was none. */
  private static @Nullable String lastError(DeliveryView delivery, @Nullable LastAttempt attempt) {
    if (delivery.detail() != null) {
      return delivery.detail();
    }
    if (attempt == null || attempt.outcome() == OutcomeClass.SUCCESS) {
      return null;
    }
    return attempt.error() == null && attempt.statusCode() != null
        ? "the response had the status " + attempt.statusCode()
        : attempt.error();
  }
}
