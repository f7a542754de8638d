package dev.postrider.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One connection of the load generator, with its request in progress. */
final class LoadConnection {
  private static final byte[] NOTHING = new byte[0];

  final int server;
  final InetSocketAddress address;
  private @Nullable SocketChannel channel;
  private @Nullable SelectionKey key;
  private @Nullable ByteBuffer unwritten;
  byte[] begun = NOTHING;
  long sentAt;
  boolean busy;

  LoadConnection(int server, InetSocketAddress address) {
    this.server = server;
    this.address = address;
  }

  /** Loopback connects at once, so connecting may block. */
  private SocketChannel connected(Selector selector) throws IOException {
    SocketChannel open = channel;
    if (open == null) {
      open = SocketChannel.open(address);
      open.setOption(StandardSocketOptions.TCP_NODELAY, true);
      open.configureBlocking(false);
      key = open.register(selector, SelectionKey.OP_READ, this);
      channel = open;
    }
    return open;
  }

  void send(Selector selector, byte[] request, ByteBuffer out, long stamp) throws IOException {
    busy = true;
    sentAt = stamp;
    SocketChannel open = connected(selector);
    out.clear().put(request).flip();
    open.write(out);
    if (out.hasRemaining()) {
      unwritten = ByteBuffer.allocate(out.remaining()).put(out).flip();
      interest(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    }
  }

  void writeRest() throws IOException {
    ByteBuffer rest = unwritten;
    if (rest != null && channel != null) {
      channel.write(rest);
    }
    if (rest == null || !rest.hasRemaining()) {
      unwritten = null;
      interest(SelectionKey.OP_READ);
    }
  }

  private void interest(int operations) {
    if (key != null) {
      key.interestOps(operations);
    }
  }

  /**
   * Reads behind what was already there; returns how much of the buffer is filled, or -1 at the end
   * of the stream.
   */
  int read(byte[] in) throws IOException {
    if (channel == null) {
      return -1;
    }
    int start = begun.length;
    System.arraycopy(begun, 0, in, 0, start);
    int got = channel.read(ByteBuffer.wrap(in, start, in.length - start));
    return got < 0 ? -1 : start + got;
  }

  void keep(byte[] in, int to) {
    begun = to == 0 ? NOTHING : Arrays.copyOf(in, to);
  }

  void close() {
    busy = false;
    begun = NOTHING;
    unwritten = null;
    try {
      if (key != null) {
        key.cancel();
      }
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // Nothing more can be done about a connection that is given up.
    } finally {
      channel = null;
      key = null;
    }
  }
}
