package dev.postrider.bench.crash;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks the requests that the receiver got, without reading the database: duplicates, idempotency
 * keys, leases and order.
 */
final class ReceivedRequestChecks {
  private final List<ReceivedRequest> requests;
  private final Disruptions disruptions;

  ReceivedRequestChecks(List<ReceivedRequest> requests, Disruptions disruptions) {
    this.requests = requests;
    this.disruptions = disruptions;
  }

  private Map<String, List<ReceivedRequest>> successes() {
    Map<String, List<ReceivedRequest>> successes = new HashMap<>();
    for (ReceivedRequest request : requests) {
      if (request.success()) {
        successes.computeIfAbsent(request.deliveryId(), _ -> new ArrayList<>()).add(request);
      }
    }
    return successes;
  }

  /** Successes beyond each delivery's first. */
  long duplicates() {
    return successes().values().stream().mapToLong(same -> same.size() - 1).sum();
  }

  /** Of all successes of one delivery, at most one may come from a process that could record it. */
  List<String> withoutExcuse() {
    return successes().values().stream()
        .filter(same -> same.stream().filter(a -> !disruptions.excuse(a)).count() > 1)
        .map(List::toString)
        .toList();
  }

  /**
   * @param accepted message ids by the callers' numbers
   */
  List<String> keysWithTwoMessages(Map<Long, String> accepted) {
    Map<Long, String> messages = new HashMap<>(accepted);
    List<String> twice = new ArrayList<>();
    for (ReceivedRequest request : requests) {
      String first = messages.putIfAbsent(request.number(), request.messageId());
      if (first != null && !first.equals(request.messageId())) {
        twice.add("message-" + request.number() + ": " + first + " and " + request.messageId());
      }
    }
    return twice;
  }

  /** The attempt number is the lease's version: two processes with the same one shared a lease. */
  List<String> sharedLeases() {
    Map<String, String> processes = new HashMap<>();
    List<String> shared = new ArrayList<>();
    for (ReceivedRequest request : requests) {
      String key = request.deliveryId() + "#" + request.attempt();
      String first = processes.putIfAbsent(key, request.process());
      if (first != null && !first.equals(request.process())) {
        shared.add(key + " by " + first + " and " + request.process());
      }
    }
    return shared;
  }

  /**
   * Of the recorded successes ({@code delivery#number}), those that the receiver knows nothing of.
   */
  List<String> invented(Set<String> recorded) {
    Set<String> invented = new HashSet<>(recorded);
    for (ReceivedRequest request : requests) {
      if (request.success()) {
        invented.remove(request.deliveryId() + "#" + request.attempt());
      }
    }
    return List.copyOf(invented);
  }

  /**
   * A first-in-first-out endpoint sees a message only after the success of every earlier one.
   *
   * @param numbers the accepted numbers that go to this endpoint
   */
  List<String> outOfOrder(String endpoint, List<Long> numbers) {
    Map<Long, Long> firstSuccess = new HashMap<>();
    Map<Long, Long> firstReceived = new HashMap<>();
    for (ReceivedRequest request : requests) {
      if (request.endpoint().equals(endpoint)) {
        firstReceived.merge(request.number(), request.receivedNanos(), Math::min);
        if (request.success()) {
          firstSuccess.merge(request.number(), request.answeredNanos(), Math::min);
        }
      }
    }
    List<String> early = new ArrayList<>();
    Long before = null;
    for (Long number : numbers.stream().sorted(Comparator.naturalOrder()).toList()) {
      Long arrived = firstReceived.get(number);
      Long done = before == null ? null : firstSuccess.get(before);
      if (arrived != null && before != null && (done == null || arrived - done < 0)) {
        early.add(number + " before the success of " + before);
      }
      before = number;
    }
    return early;
  }
}
