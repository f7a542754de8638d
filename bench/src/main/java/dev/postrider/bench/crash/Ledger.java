package dev.postrider.bench.crash;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** Records which messages the server accepted and which requests arrived at the receiver. */
final class Ledger {
  /** A message that a caller got a 2xx for. */
  record Accepted(long number, String application, String messageId) {}

  private record Exit(String messageId, String endpoint) {}

  private final AtomicLong numbers = new AtomicLong();
  private final Map<Long, Accepted> accepted = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<ReceivedRequest> requests = new ConcurrentLinkedQueue<>();
  private final Set<Exit> reached = ConcurrentHashMap.newKeySet();
  private final Set<String> problems = ConcurrentHashMap.newKeySet();

  /** The number of the next message; also its idempotency key. */
  long nextNumber() {
    return numbers.incrementAndGet();
  }

  /** Messages that callers began to send. */
  long begun() {
    return numbers.get();
  }

  void accepted(Accepted message) {
    accepted.put(message.number(), message);
  }

  List<Accepted> accepted() {
    return List.copyOf(accepted.values());
  }

  /** Message ids by number. */
  Map<Long, String> messageIds() {
    return accepted.values().stream()
        .collect(Collectors.toMap(Accepted::number, Accepted::messageId));
  }

  /** The accepted numbers of one application. */
  List<Long> numbers(String application) {
    return accepted.values().stream()
        .filter(message -> message.application().equals(application))
        .map(Accepted::number)
        .toList();
  }

  int acceptedCount() {
    return accepted.size();
  }

  void received(ReceivedRequest request) {
    requests.add(request);
    if (request.success()) {
      reached.add(new Exit(request.messageId(), request.endpoint()));
    }
  }

  List<ReceivedRequest> requests() {
    return List.copyOf(requests);
  }

  boolean reached(String messageId, String endpoint) {
    return reached.contains(new Exit(messageId, endpoint));
  }

  int reachedCount() {
    return reached.size();
  }

  /** Something that must not be, seen while the trial ran. */
  void problem(String text) {
    problems.add(text);
  }

  List<String> problems() {
    return problems.stream().sorted().toList();
  }
}
