package dev.postrider.delivery;

import dev.postrider.id.Id;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The leases of the deliveries of one commit that were leased at insert: one row for all of them,
 * so that the deliveries are in no index of leases and their finish changes no index
 * (docs/adr/0012).
 */
public final class LeaseBatch {
  /** One delivery of the batch: of the first fan-out of its message, so its id is not stored. */
  public record Item(Id applicationId, Id messageId, Id laneId) {
    public Id deliveryId() {
      return DeliveryIds.of(messageId, laneId, Id.ZERO);
    }
  }

  private static final int ITEM_BYTES = 48;

  private final Id id;
  private final long leaseUntilMs;
  private final byte[] children;
  private final AtomicInteger open;
  private final Consumer<Id> whenSettled;

  /**
   * @param whenSettled called with the id of the row once all its leases have ended
   */
  public LeaseBatch(Id id, long leaseUntilMs, List<Item> children, Consumer<Id> whenSettled) {
    this.id = id;
    this.leaseUntilMs = leaseUntilMs;
    this.children = encode(children);
    this.open = new AtomicInteger(children.size());
    this.whenSettled = whenSettled;
  }

  public Id id() {
    return id;
  }

  public long leaseUntilMs() {
    return leaseUntilMs;
  }

  /** As stored. */
  public byte[] children() {
    return children;
  }

  /** This many of its leases ended, by a commit or because they were never written. */
  public void settled(int leases) {
    if (leases > 0 && open.addAndGet(-leases) == 0) {
      whenSettled.accept(id);
    }
  }

  private static byte[] encode(List<Item> children) {
    byte[] bytes = new byte[children.size() * ITEM_BYTES];
    int at = 0;
    for (Item child : children) {
      child.applicationId().putTo(bytes, at);
      child.messageId().putTo(bytes, at + 16);
      child.laneId().putTo(bytes, at + 32);
      at += ITEM_BYTES;
    }
    return bytes;
  }

  public static List<Item> decode(byte[] bytes) {
    List<Item> children = new ArrayList<>(bytes.length / ITEM_BYTES);
    for (int at = 0; at < bytes.length; at += ITEM_BYTES) {
      children.add(new Item(Id.at(bytes, at), Id.at(bytes, at + 16), Id.at(bytes, at + 32)));
    }
    return children;
  }
}
