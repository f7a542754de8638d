package dev.postrider.id;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The 16 stored bytes of an id: the first 16 of a KSUID with 4 ms resolution (4 bytes of seconds
 * since 1,400,000,000, one byte of 4 ms ticks, 11 random bytes), so that ids sort by time as bytes
 * and as text. Its text is a prefix and 27 base62 characters over those 16 bytes and a 4-byte
 * checksum; a text whose checksum is wrong is not an id.
 */
public record Id(long hi, long lo) implements Comparable<Id> {
  /** Less than every id that is generated. */
  public static final Id ZERO = new Id(0, 0);

  /** Not less than any id. */
  public static final Id LARGEST = new Id(-1, -1);

  static final long EPOCH_SECONDS = 1_400_000_000L;

  public static Id of(UUID uuid) {
    return new Id(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
  }

  public static Id ofBytes(byte[] bytes) {
    if (bytes.length != 16) {
      throw new IllegalArgumentException("an id has 16 bytes, not " + bytes.length);
    }
    return at(bytes, 0);
  }

  public static Id at(byte[] bytes, int offset) {
    return new Id(longAt(bytes, offset), longAt(bytes, offset + 8));
  }

  /** The smallest id of that millisecond: the bound for reading lists by time. */
  public static Id floorOf(long epochMs) {
    return new Id(timeBits(epochMs) << 24, 0);
  }

  /** The smallest id of that millisecond. */
  public static Id floorOf(Instant time) {
    return floorOf(time.toEpochMilli());
  }

  /** Forty bits: seconds since the id epoch, then the 4 ms tick. */
  static long timeBits(long epochMs) {
    long seconds = Math.floorDiv(epochMs, 1000L) - EPOCH_SECONDS;
    long clamped = Math.clamp(seconds, 0L, 0xFFFF_FFFFL);
    return clamped << 8 | Math.floorMod(epochMs, 1000L) / 4;
  }

  /** The creation time of the id, to 4 ms. */
  public long epochMs() {
    long bits = hi >>> 24;
    return ((bits >>> 8) + EPOCH_SECONDS) * 1000 + (bits & 0xFF) * 4;
  }

  /** The second of its creation; the ticks of ids that were not generated can exceed a second. */
  public long epochSecond() {
    return (hi >>> 32) + EPOCH_SECONDS;
  }

  public UUID uuid() {
    return new UUID(hi, lo);
  }

  public byte[] bytes() {
    byte[] bytes = new byte[16];
    putLong(bytes, 0, hi);
    putLong(bytes, 8, lo);
    return bytes;
  }

  public void putTo(byte[] target, int offset) {
    putLong(target, offset, hi);
    putLong(target, offset + 8, lo);
  }

  /** The text form, such as {@code msg_2hN…}. */
  public String text(IdKind kind) {
    return kind.prefix() + Base62.encode(this);
  }

  /** The id of a text form, or null if the prefix, a character or the checksum is wrong. */
  public static @Nullable Id parse(IdKind kind, String text) {
    return text.startsWith(kind.prefix()) ? Base62.decode(text, kind.prefix().length()) : null;
  }

  @Override
  public int compareTo(Id other) {
    int high = Long.compareUnsigned(hi, other.hi);
    return high != 0 ? high : Long.compareUnsigned(lo, other.lo);
  }

  @Override
  public String toString() {
    return Base62.encode(this);
  }

  static long longAt(byte[] bytes, int offset) {
    long value = 0;
    for (int i = offset; i < offset + 8; i++) {
      value = value << 8 | (bytes[i] & 0xFF);
    }
    return value;
  }

  private static void putLong(byte[] bytes, int offset, long value) {
    for (int i = 0; i < 8; i++) {
      bytes[offset + i] = (byte) (value >>> (56 - 8 * i));
    }
  }
}
