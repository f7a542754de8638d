package dev.postrider.bench.crash;

import dev.postrider.bench.testbed.BenchFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses ports for servers that are restarted: below the range that the kernel uses for outgoing
 * connections, so that no other process gets the port while its server is down.
 */
final class Ports {
  private static final int FROM = 15_000;
  private static final int TO = 32_000;
  private static final int TRIES = 200;

  private Ports() {}

  static int free() {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(FROM, TO);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // taken; the next one
      }
    }
    throw new BenchFailure("no port between " + FROM + " and " + TO + " is free");
  }
}
