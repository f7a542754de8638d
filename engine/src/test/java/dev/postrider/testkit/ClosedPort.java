package dev.postrider.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A port of the loopback interface that refuses connections. It is bound as long as the process
 * runs: a port that is only free may be given to another test at any time.
 */
public final class ClosedPort {
  private static final Socket BOUND = bind();

  private ClosedPort() {}

  public static int number() {
    return BOUND.getLocalPort();
  }

  public static String url() {
    return "http://127.0.0.1:" + number() + "/";
  }

  private static Socket bind() {
    try {
      Socket socket = new Socket();
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
