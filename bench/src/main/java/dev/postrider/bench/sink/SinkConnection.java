package dev.postrider.bench.sink;

import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a sender: the beginning of an incomplete request, and bytes that did not fit
 * into the socket.
 */
final class SinkConnection {
  private static final byte[] NOTHING = new byte[0];

  final SocketChannel channel;
  final SelectionKey key;
  byte[] begun = NOTHING;
  @Nullable ByteBuffer unwritten;

  /** A request is waiting for a slow answer or for none. */
  boolean held;

  SinkConnection(SocketChannel channel, SelectionKey key) {
    this.channel = channel;
    this.key = key;
  }

  void keep(byte[] bytes, int from, int to) {
    begun = from == to ? NOTHING : Arrays.copyOfRange(bytes, from, to);
  }
}
