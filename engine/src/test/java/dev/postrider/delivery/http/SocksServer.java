package dev.postrider.delivery.http;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A SOCKS5 proxy on loopback that remembers what it was asked for. */
public final class SocksServer implements AutoCloseable {
  private final ServerSocket listener;
  private final @Nullable String login;
  private final List<String> asked = new CopyOnWriteArrayList<>();

  /**
   * @param login {@code user:password}; null lets everybody in
   */
  public SocksServer(@Nullable String login) {
    this.login = login;
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

  /** Targets such as {@code 127.0.0.1:443}; a name would show as one. */
  public List<String> asked() {
    return asked;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Thread.ofVirtual().start(() -> serve(client));
      } catch (IOException _) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      DataInputStream in = new DataInputStream(client.getInputStream());
      OutputStream out = client.getOutputStream();
      if (!greet(in, out)) {
        return;
      }
      in.readNBytes(3);
      int kind = in.read();
      String host =
          kind == 3
              ? new String(in.readNBytes(in.read()), StandardCharsets.US_ASCII)
              : InetAddress.getByAddress(in.readNBytes(kind == 1 ? 4 : 16)).getHostAddress();
      int port = in.readUnsignedShort();
      asked.add(host + ":" + port);
      try (Socket target = new Socket(host, port)) {
        out.write(new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
        Thread.ofVirtual().start(() -> pass(target, client));
        in.transferTo(target.getOutputStream());
      } catch (ConnectException _) {
        out.write(new byte[] {5, 5, 0, 1, 0, 0, 0, 0, 0, 0});
      }
    } catch (IOException _) {
      // the client or the target has gone
    }
  }

  private boolean greet(DataInputStream in, OutputStream out) throws IOException {
    in.read();
    byte[] methods = in.readNBytes(in.read());
    if (login == null) {
      out.write(new byte[] {5, 0});
      return true;
    }
    boolean can = new String(methods, StandardCharsets.ISO_8859_1).indexOf(2) >= 0;
    out.write(new byte[] {5, (byte) (can ? 2 : 0xff)});
    if (!can) {
      return false;
    }
    in.read();
    String user = new String(in.readNBytes(in.read()), StandardCharsets.UTF_8);
    String password = new String(in.readNBytes(in.read()), StandardCharsets.UTF_8);
    boolean right = (user + ":" + password).equals(login);
    out.write(new byte[] {1, (byte) (right ? 0 : 1)});
    return right;
  }

  private static void pass(Socket from, Socket to) {
    try (to;
        InputStream bytes = from.getInputStream()) {
      bytes.transferTo(to.getOutputStream());
    } catch (IOException _) {
      // closed
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
