package dev.postrider.simulation;

import dev.postrider.testkit.TestEngine;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The machine and process of one instance: its clock, its troubles, whether it lives. */
final class Host {
  /** From when to when something was wrong here that a duplicate may come from. */
  private record Trouble(long from, long to) {}

  final String name;
  private final List<Trouble> troubles = new ArrayList<>();
  private final List<Runnable> thawed = new ArrayList<>();
  private boolean dead;
  private boolean frozen;
  private long frozenAt;
  long clockOffsetMs;
  long databaseAwayUntil;
  boolean ready;
  boolean draining;
  @Nullable TestEngine engine;
  @Nullable Runnable onSignal;

  Host(String name) {
    this.name = name;
  }

  boolean dead() {
    return dead;
  }

  boolean frozen() {
    return frozen;
  }

  boolean takesCalls() {
    return ready && !dead && !draining;
  }

  void kill(long now) {
    dead = true;
    ready = false;
    trouble(now, Long.MAX_VALUE);
  }

  /** It left by itself, and did so properly. */
  void gone() {
    dead = true;
    ready = false;
  }

  void freeze(long now) {
    frozen = true;
    frozenAt = now;
  }

  void thaw(long now) {
    frozen = false;
    trouble(frozenAt, now);
    List<Runnable> waiting = List.copyOf(thawed);
    thawed.clear();
    waiting.forEach(Runnable::run);
  }

  void whenThawed(Runnable action) {
    thawed.add(action);
  }

  void trouble(long from, long to) {
    troubles.add(new Trouble(from, to));
  }

  boolean troubledBetween(long from, long to) {
    return (frozen && frozenAt <= to)
        || troubles.stream().anyMatch(trouble -> trouble.from() <= to && trouble.to() >= from);
  }
}
