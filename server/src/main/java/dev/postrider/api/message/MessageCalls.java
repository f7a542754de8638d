package dev.postrider.api.message;

import dev.postrider.api.endpoint.EndpointLookup;
import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.form.PayloadOut;
import dev.postrider.api.form.Statuses;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.store.ContentStore;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.delivery.store.DeliveryView;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.json.Fields;
import dev.postrider.message.Message;
import dev.postrider.message.MessageFilter;
import dev.postrider.message.MessageReader;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads messages, and their deliveries to one endpoint. */
public final class MessageCalls {
  /**
   * Maximum number of messages read for one page of those of an endpoint; beyond it the page ends
   * early.
   */
  public static final int MAX_SCANNED = 5_000;

  private static final int SCAN = 250;

  private final ApplicationLookup applications;
  private final EndpointLookup endpoints;
  private final Database database;
  private final MessageLookup messages;
  private final MessageReader reader;
  private final DeliveryReader deliveries;
  private final ContentStore content;
  private final CommitWatermark watermark;
  private final Ids ids;
  private final TimeSource time;

  MessageCalls(
      ApplicationLookup applications,
      EndpointLookup endpoints,
      MessageHistory history,
      Ids ids,
      TimeSource time) {
    this.applications = applications;
    this.endpoints = endpoints;
    this.database = history.database();
    this.messages = history.lookup();
    this.reader = history.messages();
    this.deliveries = history.deliveries();
    this.content = history.content();
    this.watermark = history.watermark();
    this.ids = ids;
    this.time = time;
  }

  void list(Call call) {
    Query query = call.query();
    boolean withContent = query.flag("with_content", true);
    Keyset<Id> keyset = query.pageNewestFirst(text -> Id.parse(IdKind.MESSAGE, text));
    MessageFilter filter = filter(query);
    Application application = applications.inPath(call);
    Keyset.Page<Message> page = reader.list(application.id(), filter, keyset, withContent);
    call.json(
        200,
        Pages.page(page, MessageCalls::idText, (out, m) -> MessageOut.write(out, m, withContent)));
  }

  void get(Call call) {
    boolean withContent = call.query().flag("with_content", true);
    Message message = messages.inPath(call, applications.inPath(call), withContent);
    call.json(200, out -> out.object(o -> MessageOut.write(o, message, withContent)));
  }

  /** The payload as the text that is sent, byte for byte. */
  void raw(Call call) {
    byte[] payload = messages.inPath(call, applications.inPath(call), true).payload();
    if (payload == null) {
      throw new ApiError(
          404,
          "not_found",
          "the payload has expired or was deleted; only the message without its payload is"
              + " available");
    }
    call.json(
        200, out -> out.object(o -> PayloadOut.text(o, "payload", PayloadOut.ENCODING, payload)));
  }

  void expunge(Call call) {
    Application application = applications.inPath(call);
    Message message = messages.inPath(call, application, false);
    content.expungeMessage(application.id(), message.id(), ids.next(), time.nowMs());
    call.noContent();
  }

  /** Several at once, each by id or event id, each with its own result. */
  void bulkExpunge(Call call) throws IOException {
    Application application = applications.inPath(call);
    Fields fields = call.fieldsIfAny();
    List<String> names = fields.texts("ids", 0, Limits.BULK_EXPUNGE, Limits.UID_RULE);
    fields.check();
    Map<String, String> results = new TreeMap<>();
    for (String name : names == null ? List.<String>of() : names) {
      Message message = reader.find(application.id(), name, false);
      if (message != null) {
        content.expungeMessage(application.id(), message.id(), ids.next(), time.nowMs());
      }
      results.put(name, message == null ? "not-found" : "expunged");
    }
    call.json(200, out -> out.object(o -> o.textsByName("results", results)));
  }

  private MessageFilter filter(Query query) {
    return new MessageFilter(
        query.text("channel", Limits.CHANNEL_RULE),
        query.text("tag", Limits.TAG_RULE),
        query.eventTypes(),
        before(query),
        query.time("after"));
  }

  /** With {@code settled}, nothing is listed that a later commit could precede (engine rule 9). */
  private @Nullable Instant before(Query query) {
    Instant asked = query.time("before");
    if (!query.flag("settled", false)) {
      return asked;
    }
    Instant settled = Instant.ofEpochMilli(watermark.at().epochMs());
    return asked == null || asked.isAfter(settled) ? settled : asked;
  }

  static String idText(Message message) {
    return message.id().text();
  }

  /** A message, and its delivery to the endpoint. */
  private record Reached(Message message, DeliveryView delivery) {}

  /** The messages of one endpoint. */
  void ofEndpoint(Call call) {
    Query query = call.query();
    boolean withContent = query.flag("with_content", true);
    boolean expanded = query.flag(Statuses.EXPANDED, false);
    Integer status = query.oneOf("status", Statuses.ALL);
    Keyset<Id> keyset = query.page(text -> Id.parse(IdKind.MESSAGE, text), false);
    MessageFilter filter = filter(query);
    Application application = applications.inPath(call);
    Endpoint endpoint = endpoints.inPath(call, application);
    Scan scan =
        new Scan(application.id().value(), endpoint.id().value(), filter, status, withContent);
    call.json(
        200,
        Pages.searched(
            keyset.search(MAX_SCANNED / SCAN, from -> scan.stretch(keyset, from)),
            keyset.backward(),
            IdKind.MESSAGE,
            reached -> idText(reached.message()),
            (out, reached) -> write(out, reached, withContent, expanded)));
  }

  private static void write(JsonOut out, Reached reached, boolean withContent, boolean expanded) {
    MessageOut.write(out, reached.message(), withContent);
    Statuses.write(out, reached.delivery(), expanded);
  }

  /**
   * Scans the messages of the application, because their deliveries are adjacent in the same order
   * and need no index on the endpoint.
   */
  private final class Scan {
    private final Id applicationId;
    private final Id laneId;
    private final MessageFilter filter;
    private final @Nullable Integer status;
    private final boolean withContent;

    Scan(
        Id applicationId,
        Id laneId,
        MessageFilter filter,
        @Nullable Integer status,
        boolean withContent) {
      this.applicationId = applicationId;
      this.laneId = laneId;
      this.filter = filter;
      this.status = status;
      this.withContent = withContent;
    }

    Keyset.Stretch<Id, Reached> stretch(Keyset<Id> keyset, @Nullable Id from) {
      Keyset<Id> part = new Keyset<>(SCAN, from, keyset.backward(), keyset.ascending());
      return database.read(
          handle -> {
            List<Message> messages =
                reader.rows(handle, new ApplicationId(applicationId), filter, part, withContent);
            Map<Id, DeliveryView> views =
                deliveries.toLane(
                    handle,
                    new ApplicationId(applicationId),
                    laneId,
                    messages.stream().map(message -> message.id().value()).toList());
            List<Reached> found = new ArrayList<>();
            for (Message message : messages) {
              DeliveryView view = views.get(message.id().value());
              if (view != null && (status == null || status == Statuses.code(view.status()))) {
                found.add(new Reached(message, view));
              }
            }
            return new Keyset.Stretch<>(
                found, messages.size() < part.fetch() ? null : messages.getLast().id().value());
          });
    }
  }
}
