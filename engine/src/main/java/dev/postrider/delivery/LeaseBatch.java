package dev.postrider.delivery;

import dev.postrider.id.Id;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The leases that one commit took on deliveries without a row of their own: one row for all of them
 * (docs/adr/0022). It is deleted when each of them has an attempt with number 1, never on a guess.
 */
public final class LeaseBatch {
  /** The primary key of the row. */
  public record Key(Id instance, Id id) {}

  /** One delivery of the batch: of the first fan-out of its message, so its id is not stored. */
  public record Item(Id applicationId, Id messageId, Id laneId) {
    public Id deliveryId() {
      return DeliveryIds.of(messageId, laneId, Id.ZERO);
    }
  }

  /** The bytes of an item in a row: application, message and lane. */
  public static final int ITEM_BYTES = 48;

  private final Key key;
  private final long leaseUntilMs;
  private final byte[] items;
  private final AtomicInteger open;
  private final Consumer<Key> whenSettled;

  /**
   * @param whenSettled called with the key of the row once all its leases have ended
   */
  public LeaseBatch(Key key, long leaseUntilMs, List<Item> items, Consumer<Key> whenSettled) {
    this.key = key;
    this.leaseUntilMs = leaseUntilMs;
    this.items = encode(items);
    this.open = new AtomicInteger(items.size());
    this.whenSettled = whenSettled;
  }

  public Key key() {
    return key;
  }

  public long leaseUntilMs() {
    return leaseUntilMs;
  }

  /** As stored. */
  public byte[] items() {
    return items;
  }

  /** This many of its leases ended, by a commit or because they were never written. */
  public void settled(int leases) {
    if (leases > 0 && open.addAndGet(-leases) == 0) {
      whenSettled.accept(key);
    }
  }

  private static byte[] encode(List<Item> items) {
    byte[] bytes = new byte[items.size() * ITEM_BYTES];
    int at = 0;
    for (Item item : items) {
      item.applicationId().putTo(bytes, at);
      item.messageId().putTo(bytes, at + 16);
      item.laneId().putTo(bytes, at + 32);
      at += ITEM_BYTES;
    }
    return bytes;
  }

  public static List<Item> decode(byte[] bytes) {
    List<Item> items = new ArrayList<>(bytes.length / ITEM_BYTES);
    for (int at = 0; at < bytes.length; at += ITEM_BYTES) {
      items.add(new Item(Id.at(bytes, at), Id.at(bytes, at + 16), Id.at(bytes, at + 32)));
    }
    return items;
  }
}
