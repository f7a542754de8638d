package dev.postrider.api.source;

import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Query;
import dev.postrider.delivery.store.ReceivedReader;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.RejectedRequest;
import dev.postrider.inbound.RejectedRequestStore;
import dev.postrider.inbound.SignatureStatus;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.store.SourceStore;
import dev.postrider.json.TextRule;
import dev.postrider.storage.Keyset;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The API calls that list received messages and rejected requests, of one source or of all. */
final class ReceivedCalls {
  /** Rows read at once of each source. */
  private static final int SCAN = 100;

  private static final int MAX_SCANS = 20;

  private static final List<String> SIGNATURES = SignatureStatus.texts();
  private static final List<String> OUTCOMES = List.of(ReceivedOut.ACCEPTED, ReceivedOut.REJECTED);

  private final SourceCalls sources;
  private final SourceStore store;
  private final RejectedRequestStore rejected;
  private final ReceivedReader received;

  ReceivedCalls(SourceCalls sources, SourceServices services) {
    this.sources = sources;
    this.store = services.sources();
    this.rejected = services.rejected();
    this.received = services.received();
  }

  void received(Call call) {
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.MESSAGE, text), false);
    ReceivedReader.Filter filter = messages(call.query());
    Source source = sources.inPath(call);
    call.json(
        200,
        Pages.searched(
            received.list(new ApplicationId(source.applicationId()), filter, keyset),
            keyset.backward(),
            IdKind.MESSAGE,
            message -> message.id().text(IdKind.MESSAGE),
            ReceivedOut::write));
  }

  void rejected(Call call) {
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.REJECTED, text), false);
    Source source = sources.inPath(call);
    RejectedRequestStore.Filter filter = requests(call, source.id());
    call.json(
        200,
        Pages.searched(
            rejected.list(filter, keyset),
            keyset.backward(),
            IdKind.REJECTED,
            item -> item.id().text(IdKind.REJECTED),
            ReceivedOut::write));
  }

  /** Of all sources, accepted and rejected ones together. */
  void all(Call call) {
    Query query = call.query();
    Keyset<Id> keyset = query.page(ReceivedCalls::position, false);
    String outcome = query.oneOfTexts("outcome", OUTCOMES);
    ReceivedReader.Filter messages = messages(query);
    String name = query.text("source", Limits.UID_RULE);
    Source source = name == null ? null : source(call, name);
    RejectedRequestStore.Filter requests = requests(call, source == null ? null : source.id());
    boolean acceptedToo = !ReceivedOut.REJECTED.equals(outcome) && requests.reason() == null;
    boolean rejectedToo = !ReceivedOut.ACCEPTED.equals(outcome) && !messages.unrouted();
    Iterable<List<SourceStore.Named>> named =
        source == null
            ? store.pages(call.environmentId())
            : List.of(
                List.of(
                    new SourceStore.Named(
                        source.id(), source.form().name(), source.applicationId())));
    Iterable<List<Id>> applications =
        () ->
            StreamSupport.stream(named.spliterator(), false).map(ReceivedCalls::owners).iterator();
    Keyset.Found<Id, ReceivedOut.Item> found =
        keyset.search(
            MAX_SCANS,
            from ->
                merged(
                    keyset,
                    acceptedToo
                        ? received.stretch(applications, messages, keyset, from, SCAN)
                        : new Keyset.Stretch<>(List.of(), null),
                    rejectedToo
                        ? rejected.stretch(requests, keyset, from, SCAN)
                        : new Keyset.Stretch<>(List.of(), null)));
    Map<Id, String> names = names(named, found.page().items());
    call.json(
        200,
        Pages.searched(
            found,
            keyset.backward(),
            IdKind.MESSAGE,
            ReceivedOut.Item::idText,
            (out, item) -> item.write(out, names)));
  }

  private static @Nullable Id position(String text) {
    Id message = Id.parse(IdKind.MESSAGE, text);
    return message == null ? Id.parse(IdKind.REJECTED, text) : message;
  }

  private Source source(Call call, String name) {
    Source found = store.find(call.environmentId(), name);
    if (found == null) {
      throw ApiError.notFound("source");
    }
    return found;
  }

  private static List<Id> owners(List<SourceStore.Named> sources) {
    return sources.stream().map(SourceStore.Named::applicationId).distinct().toList();
  }

  /** The names of the sources that accepted these, by application. */
  private static Map<Id, String> names(
      Iterable<List<SourceStore.Named>> sources, List<ReceivedOut.Item> items) {
    Set<Id> wanted =
        items.stream()
            .flatMap(
                item ->
                    item instanceof ReceivedOut.Accepted(ReceivedReader.Received message)
                        ? Stream.of(message.applicationId().value())
                        : Stream.empty())
            .collect(Collectors.toSet());
    Map<Id, String> names = new HashMap<>();
    for (Iterator<List<SourceStore.Named>> pages = sources.iterator();
        names.size() < wanted.size() && pages.hasNext(); ) {
      pages.next().stream()
          .filter(one -> wanted.contains(one.applicationId()))
          .forEach(one -> names.putIfAbsent(one.applicationId(), one.name()));
    }
    return names;
  }

  /** Up to where both were read. */
  private static Keyset.Stretch<Id, ReceivedOut.Item> merged(
      Keyset<Id> keyset,
      Keyset.Stretch<Id, ReceivedReader.Received> messages,
      Keyset.Stretch<Id, RejectedRequest> requests) {
    Comparator<Id> way =
        keyset.readsUpwards() ? Comparator.naturalOrder() : Comparator.reverseOrder();
    Id end =
        Stream.of(messages, requests)
            .map(Keyset.Stretch::next)
            .flatMap(Stream::ofNullable)
            .min(way)
            .orElse(null);
    List<ReceivedOut.Item> items =
        Stream.<ReceivedOut.Item>concat(
                messages.rows().stream().map(ReceivedOut.Accepted::new),
                requests.rows().stream().map(ReceivedOut.Rejected::new))
            .filter(item -> end == null || way.compare(item.id(), end) <= 0)
            .sorted(Comparator.comparing(ReceivedOut.Item::id, way))
            .toList();
    return new Keyset.Stretch<>(items, end);
  }

  private static ReceivedReader.Filter messages(Query query) {
    return new ReceivedReader.Filter(
        query.flag("unrouted", false),
        query.oneOfTexts("signature", SIGNATURES),
        query.time("before"),
        query.time("after"));
  }

  private static RejectedRequestStore.Filter requests(Call call, @Nullable Id sourceId) {
    Query query = call.query();
    String signature = query.oneOfTexts("signature", SIGNATURES);
    return new RejectedRequestStore.Filter(
        call.environmentId(),
        sourceId,
        query.text("reason", TextRule.of(1, 64)),
        Arrays.stream(SignatureStatus.values())
            .filter(status -> status.text().equals(signature))
            .findFirst()
            .orElse(null),
        query.time("before"),
        query.time("after"));
  }
}
