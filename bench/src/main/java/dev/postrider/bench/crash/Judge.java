package dev.postrider.bench.crash;

import dev.postrider.bench.rig.ApiClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Says at the end of a trial what was broken: by the ledger, by the tables and by what the API
 * shows.
 */
final class Judge {
  private static final int SHOWN = 5;
  private static final int PAGE = 250;

  /**
   * @param duplicates successes beyond a delivery's first
   * @param lost deliveries that were promised and did not arrive
   */
  record Verdict(long duplicates, long lost, List<String> violations) {}

  private final World world;
  private final StoredRows rows;
  private final Map<String, StoredRows.Ending> seenEndings = new HashMap<>();
  private final List<String> violations = new ArrayList<>();

  Judge(World world) {
    this.world = world;
    this.rows = new StoredRows(world.database());
  }

  /** Remembers what has ended so far; an ending seen once must be the ending of the last day. */
  void look() {
    compareEndings(rows.endings());
  }

  private void compareEndings(Map<String, StoredRows.Ending> now) {
    List<String> changed = new ArrayList<>();
    seenEndings.forEach(
        (delivery, ending) -> {
          StoredRows.Ending current = now.get(delivery);
          if (!ending.equals(current)) {
            changed.add(delivery + " was " + ending + " and is " + current);
          }
        });
    add("deliveries in two terminal states", changed);
    seenEndings.putAll(now);
  }

  Verdict judge() {
    world.ledger().problems().forEach(violations::add);
    List<Arrival> arrivals = world.ledger().arrivals();
    List<String> missing = world.missing();
    add("deliveries lost", missing);
    violations.addAll(rows.problems(world.fanOut()));
    compareEndings(rows.endings());
    oneMessagePerKey(arrivals);
    oneProcessPerAttempt(arrivals);
    nothingInvented(arrivals);
    apiShowsAll();
    return new Verdict(duplicates(arrivals), missing.size(), List.copyOf(violations));
  }

  private void add(String meaning, List<String> found) {
    if (!found.isEmpty()) {
      violations.add(
          found.size()
              + " "
              + meaning
              + ": "
              + String.join(", ", found.subList(0, Math.min(SHOWN, found.size()))));
    }
  }

  /** Of all successes of one delivery, at most one may come from a process that could record it. */
  private long duplicates(List<Arrival> arrivals) {
    Map<String, List<Arrival>> successes = new HashMap<>();
    for (Arrival arrival : arrivals) {
      if (arrival.success()) {
        successes.computeIfAbsent(arrival.deliveryId(), _ -> new ArrayList<>()).add(arrival);
      }
    }
    long duplicates = 0;
    List<String> withoutExcuse = new ArrayList<>();
    for (List<Arrival> same : successes.values()) {
      duplicates += same.size() - 1;
      if (same.stream().filter(a -> !world.disruptions().excuse(a)).count() > 1) {
        withoutExcuse.add(same.toString());
      }
    }
    add("duplicates without an excuse", withoutExcuse);
    return duplicates;
  }

  private void oneMessagePerKey(List<Arrival> arrivals) {
    Map<Long, String> messages = new HashMap<>();
    world.ledger().accepted().forEach(a -> messages.put(a.number(), a.messageId()));
    List<String> twice = new ArrayList<>();
    for (Arrival arrival : arrivals) {
      String first = messages.putIfAbsent(arrival.number(), arrival.messageId());
      if (first != null && !first.equals(arrival.messageId())) {
        twice.add("message-" + arrival.number() + ": " + first + " and " + arrival.messageId());
      }
    }
    add("idempotency keys with two messages", twice);
    long stored = rows.messages();
    long accepted = world.ledger().acceptedCount();
    long begun = world.ledger().begun();
    if (stored < accepted || stored > begun) {
      violations.add(
          stored + " messages are stored; " + accepted + " were accepted, " + begun + " begun");
    }
  }

  /** The attempt number is the lease's version: two processes with the same one shared a lease. */
  private void oneProcessPerAttempt(List<Arrival> arrivals) {
    Map<String, String> processes = new HashMap<>();
    List<String> shared = new ArrayList<>();
    for (Arrival arrival : arrivals) {
      String key = arrival.deliveryId() + "#" + arrival.attempt();
      String first = processes.putIfAbsent(key, arrival.process());
      if (first != null && !first.equals(arrival.process())) {
        shared.add(key + " by " + first + " and " + arrival.process());
      }
    }
    add("leases held by two processes", shared);
  }

  private void nothingInvented(List<Arrival> arrivals) {
    Set<String> invented = new HashSet<>(rows.successes());
    for (Arrival arrival : arrivals) {
      if (arrival.success()) {
        invented.remove(arrival.deliveryId() + "#" + arrival.attempt());
      }
    }
    add("successes recorded that nobody answered", List.copyOf(invented));
  }

  private void apiShowsAll() {
    Map<String, Integer> shown = new HashMap<>();
    try (ApiClient api = new ApiClient(world.healthyInstance().address(), World.API_KEY)) {
      for (World.Tenant tenant : world.tenants()) {
        for (String endpoint : tenant.endpointIds().values()) {
          readDelivered(api, tenant.application(), endpoint, shown);
        }
      }
    }
    List<String> hidden = new ArrayList<>();
    for (Ledger.Accepted accepted : world.ledger().accepted()) {
      int count = shown.getOrDefault(accepted.messageId(), 0);
      if (count != world.fanOut()) {
        hidden.add(accepted.messageId() + " to " + count + " endpoints");
      }
    }
    add("messages that the API does not show as delivered", hidden);
  }

  private static void readDelivered(
      ApiClient api, String application, String endpoint, Map<String, Integer> shown) {
    String path =
        "/app/%s/endpoint/%s/msg?status=0&with_content=false&limit=%d"
            .formatted(application, endpoint, PAGE);
    String from = "";
    boolean done = false;
    while (!done) {
      JsonNode page = api.get(path + from);
      for (JsonNode message : page.get("data")) {
        shown.merge(message.get("id").asString(), 1, Integer::sum);
      }
      done = page.get("done").asBoolean() || page.get("iterator").isNull();
      from = "&iterator=" + page.get("iterator").asString("");
    }
  }
}
