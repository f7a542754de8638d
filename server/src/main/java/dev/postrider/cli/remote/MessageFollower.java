package dev.postrider.cli.remote;

import dev.postrider.cli.terminal.Terminal;
import dev.postrider.time.Backoff;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Follows new messages of an application: the live feed announces them and resumes after a
 * disconnect. The feed drops events rather than slow the server down, so each connection and each
 * keep-alive is followed by a poll of the list for messages that were not announced.
 */
public final class MessageFollower {
  private static final Backoff RECONNECT = Backoff.ofMillis(500, 30_000);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** Called with each new message. */
  public interface Taking {
    void take(JsonNode message);
  }

  /**
   * The filter of messages to follow.
   *
   * @param type the event type to follow; empty for all
   * @param limit stops after this many; 0 means no limit
   */
  public record Wanted(String application, String type, @Nullable Instant since, int limit) {}

  private final Remote remote;
  private final Terminal terminal;
  private final Wanted wanted;
  private final Taking taking;
  private final Follower follower;
  private String lastId = "";
  private int taken;

  public MessageFollower(Remote remote, Terminal terminal, Wanted wanted, Taking taking) {
    this.remote = remote;
    this.terminal = terminal;
    this.wanted = wanted;
    this.taking = taking;
    this.follower =
        new Follower(
            remote,
            wanted.application(),
            wanted.type().isEmpty() ? "" : "&event_types=" + Remote.part(wanted.type()));
  }

  public void run() {
    if (wanted.since() == null) {
      follower.startNow();
    } else {
      follower.startAt(wanted.since());
    }
    int failures = 0;
    while (!isDone()) {
      try (LiveLines lines = LiveLines.open(remote, wanted.application(), lastId)) {
        failures = 0;
        hear(lines);
      } catch (ServerUnreachable e) {
        reportRetry(e.getMessage());
      } catch (CallRefused e) {
        if (e.status() < 500) {
          throw e;
        }
        reportRetry(e.getMessage());
      }
      if (!isDone()) {
        failures++;
        RECONNECT.pause(failures);
      }
    }
  }

  private void reportRetry(@Nullable String why) {
    terminal.err().println("postrider: " + why + " Retrying.");
    terminal.err().flush();
  }

  private boolean isDone() {
    return Thread.currentThread().isInterrupted()
        || (wanted.limit() > 0 && taken >= wanted.limit());
  }

  private void hear(LiveLines lines) {
    for (LiveLines.Event event = lines.next();
        event != null && !isDone();
        event = isDone() ? null : lines.next()) {
      if (event.isAlive()) {
        catchUp();
      } else {
        lastId = event.id();
        if (event.kind().equals("accepted")) {
          accepted(JSON.readTree(event.data()));
        }
      }
    }
  }

  private void accepted(JsonNode event) {
    String id = event.path("messageId").asString();
    boolean ofType =
        wanted.type().isEmpty() || wanted.type().equals(event.path("eventType").asString());
    if (ofType && follower.isNew(id)) {
      JsonNode message = follower.read(id);
      if (message != null) {
        take(message);
      }
    }
  }

  private void catchUp() {
    for (JsonNode message : follower.next()) {
      if (isDone()) {
        return;
      }
      take(message);
    }
  }

  private void take(JsonNode message) {
    taking.take(message);
    taken++;
    terminal.out().flush();
    terminal.err().flush();
  }
}
