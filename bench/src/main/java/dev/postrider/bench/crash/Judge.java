package dev.postrider.bench.crash;

import dev.postrider.bench.testbed.ApiClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Lists the violations at the end of a trial: compares what the clients sent and the receivers got
 * with the tables and the API.
 */
final class Judge {
  private static final int SHOWN = 5;
  private static final int PAGE = 250;

  /**
   * @param duplicates successes beyond a delivery's first
   * @param rescued attempts with an unknown outcome, because their process died
   * @param lost deliveries that were promised and did not arrive
   */
  record Verdict(long duplicates, long rescued, long lost, List<String> violations) {}

  private final World world;
  private final StoredRows rows;
  private final Map<String, StoredRows.Ending> seenEndings = new HashMap<>();
  private final List<String> violations = new ArrayList<>();

  Judge(World world) {
    this.world = world;
    this.rows = new StoredRows(world.database());
  }

  /** Records the deliveries in a final status, and reports those whose final status has changed. */
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
    add("deliveries whose final status changed", changed);
    seenEndings.putAll(now);
  }

  Verdict judge() {
    Ledger ledger = world.ledger();
    violations.addAll(ledger.problems());
    List<String> missing = world.missing();
    add("deliveries lost", missing);
    violations.addAll(rows.problems(world.fanOut()));
    compareEndings(rows.endings());
    ReceivedRequestChecks checks =
        new ReceivedRequestChecks(ledger.requests(), world.disruptions());
    add("duplicate requests that no fault of the trial explains", checks.withoutExcuse());
    add(
        "idempotency keys that created two messages",
        checks.keysWithTwoMessages(ledger.messageIds()));
    add("deliveries sent by two processes with the same lease", checks.sharedLeases());
    add(
        "attempts recorded as successful to which the receiver did not respond with 200",
        checks.invented(rows.successes()));
    add(
        "messages of an ordered endpoint that arrived out of order",
        checks.outOfOrder(World.ORDERED, ledger.numbers(world.orderedTenant().application())));
    storedAsOften(ledger);
    apiShowsAll();
    return new Verdict(
        checks.duplicates(), rows.rescued(), missing.size(), List.copyOf(violations));
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

  private void storedAsOften(Ledger ledger) {
    long stored = rows.messages();
    if (stored < ledger.acceptedCount() || stored > ledger.begun()) {
      violations.add(
          "%d messages are stored, but %d were accepted and %d were sent"
              .formatted(stored, ledger.acceptedCount(), ledger.begun()));
    }
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
    add("messages that the API does not list as delivered", hidden);
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
