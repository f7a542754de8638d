package dev.postrider.storage.postgres;

import dev.postrider.id.Id;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PGBinaryObject;
import org.postgresql.util.PGobject;

/**
 * A PostgreSQL array parameter in the binary wire form. The driver sends arrays of uuid and bytea
 * as text, which costs both sides a parse of every byte; these are the largest part of what the hot
 * path sends.
 */
public final class BinaryArray extends PGobject implements PGBinaryObject {
  /**
   * uuid[], bytea[], text[], int8[], int4[], int2[], bool[]: the types that the driver must be set
   * to transfer in binary form.
   */
  static final List<Integer> BINARY_OIDS = List.of(2951, 1001, 1009, 1016, 1007, 1005, 1000);

  private static final int UUID_OID = 2950;
  private static final int BYTEA_OID = 17;
  private static final int TEXT_OID = 25;
  private static final int INT8_OID = 20;
  private static final int INT4_OID = 23;
  private static final int BOOL_OID = 16;

  private final byte[] encoded;

  private BinaryArray(String type, byte[] encoded) {
    setType(type);
    this.encoded = encoded;
  }

  public static BinaryArray ids(List<? extends @Nullable Id> ids) {
    Encoder encoder = new Encoder(UUID_OID, ids.size(), 20);
    byte[] bytes = new byte[16];
    for (Id id : ids) {
      if (id == null) {
        encoder.nothing();
      } else {
        id.putTo(bytes, 0);
        encoder.element(bytes);
      }
    }
    return encoder.array("_uuid");
  }

  public static BinaryArray bytes(List<byte @Nullable []> values) {
    Encoder encoder = new Encoder(BYTEA_OID, values.size(), 256);
    for (byte[] value : values) {
      encoder.elementOrNull(value);
    }
    return encoder.array("_bytea");
  }

  public static BinaryArray texts(List<? extends @Nullable String> values) {
    Encoder encoder = new Encoder(TEXT_OID, values.size(), 32);
    for (String value : values) {
      encoder.elementOrNull(value == null ? null : value.getBytes(StandardCharsets.UTF_8));
    }
    return encoder.array("_text");
  }

  public static BinaryArray longs(List<? extends @Nullable Long> values) {
    Encoder encoder = new Encoder(INT8_OID, values.size(), 12);
    for (Long value : values) {
      if (value == null) {
        encoder.nothing();
      } else {
        encoder.int32(8);
        encoder.int32((int) (value >>> 32));
        encoder.int32((int) (long) value);
      }
    }
    return encoder.array("_int8");
  }

  public static BinaryArray ints(List<? extends @Nullable Integer> values) {
    Encoder encoder = new Encoder(INT4_OID, values.size(), 8);
    for (Integer value : values) {
      if (value == null) {
        encoder.nothing();
      } else {
        encoder.int32(4);
        encoder.int32(value);
      }
    }
    return encoder.array("_int4");
  }

  public static BinaryArray booleans(List<Boolean> values) {
    Encoder encoder = new Encoder(BOOL_OID, values.size(), 5);
    byte[] one = new byte[1];
    for (Boolean value : values) {
      one[0] = (byte) (value ? 1 : 0);
      encoder.element(one);
    }
    return encoder.array("_bool");
  }

  @Override
  public void setByteValue(byte[] value, int offset) throws SQLException {
    throw new SQLException(
        "arrays of this type are parameters of statements; results cannot contain them");
  }

  @Override
  public int lengthInBytes() {
    return encoded.length;
  }

  @Override
  public void toBytes(byte[] bytes, int offset) {
    System.arraycopy(encoded, 0, bytes, offset, encoded.length);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }

  @Override
  @SuppressWarnings("MissingSuperCall") // one-way parameter; nothing to deep-copy
  public Object clone() {
    return new BinaryArray(getType(), encoded);
  }

  /**
   * One dimension, lower bound 1; each element is its length and its bytes, a null is length -1.
   * Writes into a plain array: the locks of a ByteArrayOutputStream were 7 % of the server's time
   * under load.
   */
  private static final class Encoder {
    private byte[] buffer;
    private int size;
    private boolean nulls;

    Encoder(int elementOid, int count, int bytesEach) {
      buffer = new byte[20 + count * bytesEach];
      int32(count == 0 ? 0 : 1);
      int32(0);
      int32(elementOid);
      if (count > 0) {
        int32(count);
        int32(1);
      }
    }

    void element(byte[] bytes) {
      int32(bytes.length);
      room(bytes.length);
      System.arraycopy(bytes, 0, buffer, size, bytes.length);
      size += bytes.length;
    }

    void elementOrNull(byte @Nullable [] bytes) {
      if (bytes == null) {
        nothing();
      } else {
        element(bytes);
      }
    }

    void nothing() {
      nulls = true;
      int32(-1);
    }

    void int32(int value) {
      room(4);
      buffer[size++] = (byte) (value >>> 24);
      buffer[size++] = (byte) (value >>> 16);
      buffer[size++] = (byte) (value >>> 8);
      buffer[size++] = (byte) value;
    }

    private void room(int more) {
      if (size + more > buffer.length) {
        buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + more));
      }
    }

    BinaryArray array(String type) {
      byte[] bytes = Arrays.copyOf(buffer, size);
      bytes[7] = (byte) (nulls ? 1 : 0);
      return new BinaryArray(type, bytes);
    }
  }
}
