package dev.postrider.delivery.loop;

import dev.postrider.delivery.store.LaneView;

/** What the claimer does with a lane that the lane book says is due. */
enum Judgement {
  /** Nothing waits, or it is paused: it leaves the lane book. */
  FORGET,
  /** It may not be claimed from yet. */
  LATER,
  /** Its endpoint was deleted or disabled: what waits is canceled. */
  CANCEL,
  /** Claims have to lock the row of the lane. */
  GUARDED,
  /** Any delivery that is due can be claimed. */
  FREE;

  static Judgement of(LaneView view, long now) {
    Long nextDue = view.nextDueMs();
    if (nextDue == null) {
      return FORGET;
    }
    if (view.deleted() || view.disabled()) {
      return CANCEL;
    }
    if (view.paused() || !view.applicationActive()) {
      // Resuming wakes the claimer; a sweep would find the lane too.
      return FORGET;
    }
    if (nextDue > now
        || view.state().opensAtMs() > now
        || view.inFlight() != null
        || view.state().probe() != null) {
      return LATER;
    }
    return view.guarded() ? GUARDED : FREE;
  }
}
