package dev.postrider.simulation;

import static dev.postrider.testkit.builder.MessageBuilder.aMessage;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.MessageId;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.NewMessage;
import dev.postrider.testkit.TestEngine;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Send as SDKs do: with an idempotency key, again with the same key when there is no answer or a
 * refusal, to whichever instance is there.
 */
final class Callers {
  private static final long PATIENCE_MS = 8_000;
  private static final long MOST_DELAY_MS = 10_000;

  private final World world;
  private final SplittableRandom random;

  /** Apart, so that a world is the same but for its delays. */
  private final SplittableRandom delays;

  private final Map<Id, Id> accepted = new HashMap<>();
  private final Map<Id, Long> dueAt = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private int waiting;
  private int sent;

  Callers(World world, SplittableRandom random, SplittableRandom delays) {
    this.world = world;
    this.random = random;
    this.delays = delays;
  }

  /** The message of each key that was answered with one. */
  Map<Id, Id> accepted() {
    return accepted;
  }

  /** When each accepted message was to be sent: as its caller first asked, or at its own time. */
  Map<Id, Long> dueAt() {
    return dueAt;
  }

  /** Answers that may never be given. */
  List<String> wrong() {
    return wrong;
  }

  boolean done() {
    return waiting == 0;
  }

  /**
   * One caller, who is patient.
   *
   * @param mayAskForATime some ask for a later time then
   */
  void call(String application, boolean mayAskForATime) {
    Id key = new Id(random.nextLong(), random.nextLong());
    boolean delayed = mayAskForATime && delays.nextInt(3) == 0;
    byte[] payload = ("{\"n\":" + sent + "}").getBytes(StandardCharsets.UTF_8);
    Long deliverAtMs =
        delayed
            ? world.trueMs() + world.span(delays.nextLong(1, MOST_DELAY_MS)) / Timeline.MS
            : null;
    call(application, key, payload, deliverAtMs);
  }

  /** One caller with that payload, who may ask for a later time. */
  void call(String application, byte[] payload, @Nullable Long deliverAtMs) {
    call(application, new Id(random.nextLong(), random.nextLong()), payload, deliverAtMs);
  }

  private void call(String application, Id key, byte[] payload, @Nullable Long deliverAtMs) {
    int number = sent++;
    NewMessage message = message(application, number, key, payload, deliverAtMs);
    long due = deliverAtMs == null ? world.timeline().nanos() : World.nanosAt(deliverAtMs);
    waiting++;
    world.runOutside(
        "caller " + number,
        () -> {
          while (!accepted.containsKey(key)) {
            AcceptResult[] answer = new AcceptResult[1];
            Host host = anyHost();
            if (host != null) {
              ask(host, message, answer);
            }
            note(key, answer[0]);
            if (!accepted.containsKey(key)) {
              world.timeline().pass(world.span(random.nextLong(200, 1_500)));
            }
          }
          dueAt.put(accepted.getOrDefault(key, Id.ZERO), due);
          waiting--;
        });
  }

  private void ask(Host host, NewMessage message, AcceptResult[] answer) {
    Task caller = world.timeline().current();
    TestEngine engine = host.engine;
    if (engine == null) {
      return;
    }
    world.run(
        host,
        "request",
        () -> {
          answer[0] = engine.acceptor().accept(message);
          world.timeline().unpark(caller);
        });
    long until = world.timeline().nanos() + world.span(PATIENCE_MS);
    while (answer[0] == null && world.timeline().nanos() < until) {
      world.timeline().park(until - world.timeline().nanos());
    }
  }

  private void note(Id key, @Nullable AcceptResult answer) {
    switch (answer) {
      case null -> {}
      case AcceptResult.Accepted(
              ApplicationId _,
              MessageId messageId,
              boolean _,
              int _,
              List<?> _) ->
          accepted.put(key, messageId.value());
      case AcceptResult.Refused _ -> {}
      default -> {
        wrong.add("a caller was answered " + answer);
        accepted.put(key, Id.ZERO);
      }
    }
  }

  private @Nullable Host anyHost() {
    List<Host> there = world.hosts().stream().filter(Host::takesCalls).toList();
    return there.isEmpty() ? null : there.get(random.nextInt(there.size()));
  }

  private static NewMessage message(
      String application, int number, Id key, byte[] payload, @Nullable Long deliverAtMs) {
    return aMessage(application)
        .payload(payload)
        .deliverAtMs(deliverAtMs)
        .key(key, new Id(number, number))
        .build();
  }
}
