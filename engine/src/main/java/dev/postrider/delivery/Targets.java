package dev.postrider.delivery;

import dev.postrider.id.Id;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lanes as a message stores them: those of its deliveries that have no row of their own, and those
 * of them that a caller canceled while they were being sent. 16 bytes each; null for none.
 */
public final class Targets {
  private static final int LANE_BYTES = 16;

  private Targets() {}

  public static byte @Nullable [] encode(Collection<Id> lanes) {
    if (lanes.isEmpty()) {
      return null;
    }
    byte[] bytes = new byte[lanes.size() * LANE_BYTES];
    int at = 0;
    for (Id lane : lanes) {
      lane.putTo(bytes, at);
      at += LANE_BYTES;
    }
    return bytes;
  }

  public static List<Id> decode(byte @Nullable [] bytes) {
    if (bytes == null) {
      return List.of();
    }
    List<Id> lanes = new ArrayList<>(bytes.length / LANE_BYTES);
    for (int at = 0; at < bytes.length; at += LANE_BYTES) {
      lanes.add(Id.at(bytes, at));
    }
    return lanes;
  }
}
