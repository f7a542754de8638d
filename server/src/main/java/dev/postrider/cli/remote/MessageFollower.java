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

  /** Processes each new message. */
  public interface MessageConsumer {
    void accept(JsonNode message);
  }

  /**
   * The filter of messages to follow.
   *
   * @param type the event type to follow; empty for all
   * @param limit stops after this many; 0 means no limit
   */
  public record Filter(String application, String type, @Nullable Instant since, int limit) {}

  private final Remote remote;
  private final Terminal terminal;
  private final Filter filter;
  private final MessageConsumer consumer;
  private final Follower follower;
  private String lastId = "";
  private int taken;

  public MessageFollower(
      Remote remote, Terminal terminal, Filter filter, MessageConsumer consumer) {
    this.remote = remote;
    this.terminal = terminal;
    this.filter = filter;
    this.consumer = consumer;
    this.follower =
        new Follower(
            remote,
            filter.application(),
            filter.type().isEmpty() ? "" : "&event_types=" + Remote.part(filter.type()));
  }

  public void run() {
    if (filter.since() == null) {
      follower.startNow();
    } else {
      follower.startAt(filter.since());
    }
    int failures = 0;
    while (!isDone()) {
      try (LiveLines lines = LiveLines.open(remote, filter.application(), lastId)) {
        failures = 0;
        readFeed(lines);
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
        || (filter.limit() > 0 && taken >= filter.limit());
  }

  private void readFeed(LiveLines lines) {
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
        filter.type().isEmpty() || filter.type().equals(event.path("eventType").asString());
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
    consumer.accept(message);
    taken++;
    terminal.out().flush();
    terminal.err().flush();
  }
}
