package dev.postrider.engine.wiring;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryListeners;
import dev.postrider.delivery.StatusChange;
import dev.postrider.event.EngineEvents;
import dev.postrider.event.SharedEvent;
import dev.postrider.operational.OperationalReports;
import dev.postrider.statistics.CounterStore;
import dev.postrider.statistics.Counters;
import dev.postrider.statistics.StatisticsReader;

/**
 * Passes events of the engine to the external listener, the counters and the operational webhooks.
 */
record Reporting(EngineEvents events, DeliveryListeners outside, Counters counters) {
  static Reporting of(Foundation base) {
    Reporting reporting =
        new Reporting(
            new EngineEvents(),
            new DeliveryListeners(),
            new Counters(new CounterStore(base.database()), base.instance(), base.time()));
    EngineEvents events = reporting.events;
    new OperationalReports(base.database().dialect(), base.ids(), base.time(), events)
        .listenTo(events);
    events.afterCommit(SharedEvent.class, _ -> base.opened().signals().notifyOthers());
    events.afterCommit(StatusChange.class, reporting.listener()::statusChanged);
    return reporting;
  }

  /** For deliveries: the external listener and the counters. */
  DeliveryListener listener() {
    return new DeliveryListeners(outside, counters);
  }

  /** The counts of this instance and of the others. */
  StatisticsReader statistics(Foundation base) {
    return new StatisticsReader(new CounterStore(base.database()), counters, base.time());
  }

  /** Writes the counts, and returns in how many milliseconds to do so again. */
  long write() {
    counters.flush();
    return counters.untilNextMinuteMs();
  }

  void writeLast() {
    try {
      counters.flush();
    } catch (RuntimeException e) {
      System.getLogger(Reporting.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "the last statistics counts are lost: {0}",
              e.getMessage());
    }
  }
}
