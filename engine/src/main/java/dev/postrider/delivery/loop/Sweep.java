package dev.postrider.delivery.loop;

import dev.postrider.delivery.lane.Lane;
import dev.postrider.delivery.lane.LaneBook;
import dev.postrider.delivery.lane.LaneBook.Look;
import dev.postrider.delivery.lane.LaneTable;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.delivery.store.DueStore;
import dev.postrider.delivery.store.LaneStore.LaneKey;
import dev.postrider.delivery.store.LaneView;
import dev.postrider.id.Id;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the due index at intervals for lanes that are not in the {@link LaneBook}: a page between
 * two rounds of the claimer, so that claims are not delayed.
 */
final class Sweep {
  static final int PAGE = 500;

  private final DeliveryStores stores;
  private final LaneBook book;
  private final LaneTable lanes;
  private final TimeSource time;
  private final long everyNanos;
  private volatile boolean wanted = true;
  private long last;

  /** The position of the current sweep; null if none is running. */
  private @Nullable LaneKey position;

  Sweep(DeliveryStores stores, Lanes lanes, TimeSource time, long everyMs) {
    this.stores = stores;
    this.book = lanes.book();
    this.lanes = lanes.table();
    this.time = time;
    this.everyNanos = TimeUnit.MILLISECONDS.toNanos(everyMs);
  }

  void start() {
    last = time.nanos();
  }

  /** The lane book may be incomplete. */
  void soon() {
    wanted = true;
  }

  boolean isRunning() {
    return position != null;
  }

  /**
   * Reads the next page if a sweep is due or running.
   *
   * @param unknown gets each lane that is not in the lane book, and the time
   */
  void next(ObjLongConsumer<LaneView> unknown) {
    if (position == null && (wanted || time.nanos() - last > everyNanos)) {
      wanted = false;
      last = time.nanos();
      book.lookAtFullOnes();
      position = LaneKey.FIRST;
    }
    if (position != null) {
      position = page(position, unknown);
    }
  }

  private @Nullable LaneKey page(LaneKey after, ObjLongConsumer<LaneView> unknown) {
    List<DueStore.LaneDue> page = stores.due().discover(after, PAGE);
    List<Id> found = new ArrayList<>();
    for (DueStore.LaneDue lane : page) {
      Lane live = lanes.find(lane.lane().laneId());
      Look known = live == null ? null : book.look(live);
      if (known == null) {
        found.add(lane.lane().laneId());
      } else if (!known.parked()) {
        book.add(known.lane(), lane.dueMs());
      }
    }
    long now = time.nowMs();
    for (LaneView view : stores.lanes().read(found)) {
      unknown.accept(view, now);
    }
    return page.size() == PAGE ? page.getLast().lane() : null;
  }
}
