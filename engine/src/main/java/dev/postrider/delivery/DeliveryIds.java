package dev.postrider.delivery;

import dev.postrider.id.Id;

/**
 * Delivery ids are derived: the message's time, then 88 bits of a hash over (message, lane, trigger
 * batch). So the primary key is also the unique key over those three, a re-run batch inserts the
 * very same rows, and all deliveries of a message are adjacent in the order of the key and need no
 * index of their own (docs/adr/0004).
 */
public final class DeliveryIds {
  private static final long TIME_MASK = 0xFFFF_FFFF_FF00_0000L;

  private DeliveryIds() {}

  /**
   * The delivery of a message to a lane; the trigger is {@link Id#ZERO} for the first fan-out, a
   * fresh id for a resend.
   */
  public static Id of(Id message, Id lane, Id trigger) {
    long a =
        mix(message.hi() ^ Long.rotateLeft(lane.lo(), 17) ^ (trigger.hi() + 0x9E3779B97F4A7C15L));
    long b = mix(message.lo() ^ Long.rotateLeft(lane.hi(), 29) ^ (trigger.lo() + a));
    long c = mix(a ^ Long.rotateLeft(b, 32) ^ (lane.lo() + message.lo()));
    return new Id((message.hi() & TIME_MASK) | (c & ~TIME_MASK), mix(b + c));
  }

  /** The smallest id that a delivery of this message can have. */
  public static Id first(Id message) {
    return new Id(message.hi() & TIME_MASK, 0);
  }

  /** The largest id that a delivery of this message can have. */
  public static Id last(Id message) {
    return new Id(message.hi() | ~TIME_MASK, -1L);
  }

  private static long mix(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
