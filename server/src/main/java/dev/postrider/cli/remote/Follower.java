package dev.postrider.cli.remote;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Polls the messages of an application. Each poll reaches a little further back than the last one,
 * because a message accepted by another instance may be committed late; messages that were already
 * returned are skipped.
 */
final class Follower {
  static final Duration OVERLAP = Duration.ofSeconds(10);
  static final int MAX_SEEN = 50_000;
  static final int MOST_AT_ONCE = 10_000;

  private final Remote remote;
  private final String messages;
  private final String path;
  private final Set<String> seen = new LinkedHashSet<>();
  private @Nullable Instant from;

  /**
   * @param filter further query parameters, such as {@code &event_types=a.b}
   */
  Follower(Remote remote, String application, String filter) {
    this.remote = remote;
    this.messages = "/app/" + Remote.part(application) + "/msg";
    this.path = messages + "?with_content=true" + filter;
  }

  /** Starts with the next message. */
  void startNow() {
    for (JsonNode newest : new Listing(remote, path, 1)) {
      from = time(newest).minus(OVERLAP);
    }
    if (from != null) {
      next();
    }
  }

  void startAt(Instant time) {
    from = time;
  }

  private void forgetOldest() {
    while (seen.size() > MAX_SEEN) {
      seen.remove(seen.iterator().next());
    }
  }

  /** One message by its id; null if it does not exist. */
  @Nullable JsonNode read(String id) {
    try {
      return remote.messages(messages + "/" + Remote.part(id) + "?with_content=true");
    } catch (CallRefused e) {
      if (e.status() == 404) {
        return null;
      }
      throw e;
    }
  }

  /** New messages since the last call, oldest first. */
  List<JsonNode> next() {
    String after = from == null ? "" : "&after=" + Remote.part(from.toString());
    List<JsonNode> fresh = new ArrayList<>();
    for (JsonNode message : new Listing(remote, path + after, MOST_AT_ONCE)) {
      if (seen.add(message.path("id").asString())) {
        fresh.add(message);
      }
    }
    if (!fresh.isEmpty()) {
      Instant reached = time(fresh.getFirst()).minus(OVERLAP);
      from = from == null || reached.isAfter(from) ? reached : from;
    }
    forgetOldest();
    return fresh.reversed();
  }

  /** Whether a message was not returned yet; marks it as returned. */
  boolean isNew(String id) {
    return seen.add(id);
  }

  private static Instant time(JsonNode message) {
    return Instant.parse(message.path("timestamp").asString());
  }
}
