package dev.postrider.testkit.api;

import static dev.postrider.endpoint.EndpointFields.UID;
import static dev.postrider.testkit.builder.AttemptBuilder.anAttempt;
import static dev.postrider.testkit.builder.LeaseBuilder.aLease;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.Outcome.Meaning;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.builder.AttemptBuilder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/** Three messages: one delivered at the second try, one waiting, one that no endpoint wanted. */
public final class HistoryFixture {
  public final List<String> messages = new ArrayList<>();
  private final ApiFixture api;
  private final Database database;

  public HistoryFixture(ApiFixture api, Database database) {
    this.api = api;
    this.database = database;
  }

  public void fill() {
    Application application = api.stores.application("acme");
    Endpoint endpoint =
        api.stores.endpoint(application, EndpointSpec.of("https://example.com/").with(UID, "main"));
    for (int i = 0; i < 3; i++) {
      Id message = api.stores.ids.next();
      messages.add(message.text(IdKind.MESSAGE));
      message(application.id().value(), message, i);
      if (i < 2) {
        delivery(
            application.id().value(),
            message,
            endpoint.id().value(),
            i == 0 ? DeliveryStatus.DELIVERED : DeliveryStatus.PENDING);
      }
      if (i == 0) {
        countDelivered(application.id().value(), message, endpoint.id().value());
        attempt(application.id().value(), message, endpoint.id().value(), 1, 500, "x".repeat(600));
        attempt(application.id().value(), message, endpoint.id().value(), 2, 200, "ok");
      }
    }
  }

  private void countDelivered(Id application, Id message, Id lane) {
    Id delivery = DeliveryIds.of(message, lane, Id.ZERO);
    Delivery leased =
        aLease()
            .application(application)
            .delivery(delivery)
            .message(message)
            .lane(lane)
            .version(2)
            .build();
    AttemptBuilder attempt = anAttempt().id(api.stores.ids.next()).sentAtMs(api.time.nowMs());
    api.counters.finished(attempt.resultOf(leased, Meaning.SUCCESS), attempt.delivered(leased));
  }

  /** Newer messages that no endpoint wanted. */
  public void unwanted(int count) {
    Id application = api.stores.application("acme").id().value();
    database.write(
        handle -> {
          PreparedBatch batch =
              handle.prepareBatch(
                  "INSERT INTO messages (application_id, id, event_type, payload) VALUES"
                      + " (:application, :id, 'x', NULL)");
          for (int i = 0; i < count; i++) {
            batch.bind("application", application).bind("id", api.stores.ids.next()).add();
          }
          return batch.execute();
        });
  }

  /** The n-th message was sent again to the endpoint, a minute from now. */
  public void resent(int n, DeliveryStatus status) {
    Application application = api.stores.application("acme");
    Endpoint endpoint = Objects.requireNonNull(api.stores.endpoints.find(application.id(), "main"));
    Id message = Objects.requireNonNull(Id.parse(IdKind.MESSAGE, messages.get(n)));
    delivery(
        application.id().value(),
        message,
        endpoint.id().value(),
        status,
        api.stores.ids.next(),
        api.time.nowMs() + 60_000);
  }

  /** The n-th message was delivered to another endpoint too. */
  public void deliveredTo(Endpoint endpoint, int n) {
    Id message = Objects.requireNonNull(Id.parse(IdKind.MESSAGE, messages.get(n)));
    delivery(
        endpoint.applicationId().value(), message, endpoint.id().value(), DeliveryStatus.DELIVERED);
  }

  private void message(Id application, Id id, int n) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    INSERT INTO messages (application_id, id, event_type, event_id, channels, payload)
                    VALUES (:application, :id, :type, :event, :channels, :payload)
                    """)
                .bind("application", application)
                .bind("id", id)
                .bind("type", "type." + n)
                .bind("event", "event-" + n)
                .bind("channels", n == 1 ? ",us,eu," : null)
                .bind("payload", ("{\"n\":" + n + "}").getBytes(StandardCharsets.UTF_8))
                .execute());
    database.write(
        handle ->
            handle
                .createUpdate(
                    "INSERT INTO event_ids (application_id, event_id, message_id) VALUES"
                        + " (:application, :event, :id)")
                .bind("application", application)
                .bind("event", "event-" + n)
                .bind("id", id)
                .execute());
  }

  private void delivery(Id application, Id message, Id lane, DeliveryStatus status) {
    delivery(application, message, lane, status, Id.ZERO, api.time.nowMs());
  }

  private void delivery(
      Id application, Id message, Id lane, DeliveryStatus status, Id trigger, long createdAt) {
    Long next = status == DeliveryStatus.PENDING ? (Long) api.time.nowMs() : null;
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    INSERT INTO deliveries (application_id, id, message_id, lane_id, status, next_attempt_at, created_at)
                    VALUES (:application, :id, :message, :lane, :status, :next, :now)
                    """)
                .bind("application", application)
                .bind("id", DeliveryIds.of(message, lane, trigger))
                .bind("message", message)
                .bind("lane", lane)
                .bind("status", status.code())
                .bind("next", next)
                .bind("now", createdAt)
                .execute());
  }

  private void attempt(
      Id application, Id message, Id lane, int number, int code, @Nullable String response) {
    database.write(
        handle ->
            handle
                .createUpdate(
                    """
                    INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual, outcome,
                      status_code, latency_ms, sent_at, url, response)
                    VALUES (:application, :message, :delivery, :number, :id, :lane, :manual, :outcome,
                      :code, 5, :now, 'https://example.com/', :response)
                    """)
                .bind("application", application)
                .bind("message", message)
                .bind("delivery", DeliveryIds.of(message, lane, Id.ZERO))
                .bind("number", number)
                .bind("id", api.stores.ids.next())
                .bind("lane", lane)
                .bind("manual", false)
                .bind("outcome", (code == 200 ? OutcomeClass.SUCCESS : OutcomeClass.HTTP).code())
                .bind("code", code)
                .bind("now", api.time.nowMs())
                .bind(
                    "response", response == null ? null : response.getBytes(StandardCharsets.UTF_8))
                .execute());
  }
}
