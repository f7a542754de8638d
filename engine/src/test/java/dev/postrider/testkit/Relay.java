package dev.postrider.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Passes bytes on between its own port and another one, until the test makes it swallow them: then
 * every connection that is open falls silent without being closed, as behind a broken switch.
 * Connections opened later pass.
 */
public final class Relay implements AutoCloseable {
  /** A client's connection and the one that it is passed on to. */
  private static final class Pair {
    final Socket client;
    final Socket server;
    volatile boolean silent;

    Pair(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }
  }

  private final ServerSocket listener;
  private final int target;
  private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();

  public Relay(int target) {
    this.target = target;
    try {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Silences what is open now; returns how many connections that were. */
  public int swallow() {
    pairs.forEach(pair -> pair.silent = true);
    return pairs.size();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Pair pair = new Pair(client, new Socket(InetAddress.getLoopbackAddress(), target));
        pairs.add(pair);
        Thread.ofVirtual().start(() -> pump(pair, client, pair.server));
        Thread.ofVirtual().start(() -> pump(pair, pair.server, client));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void pump(Pair pair, Socket from, Socket to) {
    byte[] buffer = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (!pair.silent) {
          out.write(buffer, 0, n);
        }
      }
    } catch (IOException e) {
      // one side is gone, and so the other goes
    } finally {
      if (!pair.silent) {
        close(pair);
      }
    }
  }

  private void close(Pair pair) {
    pairs.remove(pair);
    try {
      pair.client.close();
      pair.server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    pairs.forEach(this::close);
  }
}
