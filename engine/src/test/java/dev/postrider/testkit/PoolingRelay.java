package dev.postrider.testkit;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingDeque;

/**
 * A transaction-pooling proxy for PostgreSQL: a client has a server session only while a
 * transaction lasts, and then perhaps another one. Speaks as much of the protocol as that takes.
 */
public final class PoolingRelay implements AutoCloseable {
  /** Which of the idle sessions a client gets. */
  public enum Choice {
    LAST_USED,
    IN_TURN
  }

  private static final int SSL_REQUEST = 80_877_103;
  private static final int GSS_REQUEST = 80_877_104;

  /** A connection to the server. */
  private record Session(Socket socket, DataInputStream in, DataOutputStream out) {}

  private final ServerSocket listener;
  private final int target;
  private final Choice choice;
  private final BlockingDeque<Session> idle = new LinkedBlockingDeque<>();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  public PoolingRelay(int target, Choice choice) {
    this.target = target;
    this.choice = choice;
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

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        sockets.add(client);
        Thread.ofVirtual().start(() -> serve(client));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      DataInputStream in = new DataInputStream(client.getInputStream());
      DataOutputStream out = new DataOutputStream(client.getOutputStream());
      idle.addLast(connect(startup(in, out), out));
      Session session = null;
      while (true) {
        byte[] request = request(in);
        if (session == null) {
          session = choice == Choice.LAST_USED ? idle.takeLast() : idle.takeFirst();
        }
        session.out().write(request);
        session.out().flush();
        if (answer(session, out) == 'I') {
          idle.addLast(session);
          session = null;
        }
      }
    } catch (IOException | InterruptedException e) {
      // the client is gone
    }
  }

  /** The startup packet; requests for encryption are declined first. */
  private static byte[] startup(DataInputStream in, DataOutputStream out) throws IOException {
    while (true) {
      int length = in.readInt();
      byte[] rest = in.readNBytes(length - 4);
      int code = new DataInputStream(new java.io.ByteArrayInputStream(rest)).readInt();
      if (code != SSL_REQUEST && code != GSS_REQUEST) {
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        new DataOutputStream(packet).writeInt(length);
        packet.write(rest);
        return packet.toByteArray();
      }
      out.write('N');
      out.flush();
    }
  }

  /** Each client brings a session; what the server answers at its start is passed on. */
  private Session connect(byte[] startup, DataOutputStream client) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), target);
    sockets.add(socket);
    Session session =
        new Session(
            socket,
            new DataInputStream(socket.getInputStream()),
            new DataOutputStream(socket.getOutputStream()));
    session.out().write(startup);
    session.out().flush();
    answer(session, client);
    return session;
  }

  /** All messages up to the one that asks for an answer: Query or Sync. */
  private static byte[] request(DataInputStream in) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    DataOutputStream copy = new DataOutputStream(request);
    while (true) {
      int type = in.read();
      if (type < 0 || type == 'X') {
        throw new EOFException();
      }
      int length = in.readInt();
      copy.writeByte(type);
      copy.writeInt(length);
      copy.write(in.readNBytes(length - 4));
      if (type == 'Q' || type == 'S') {
        return request.toByteArray();
      }
    }
  }

  /** Passes messages on until the server is ready again; returns the transaction's status. */
  private static char answer(Session session, DataOutputStream client) throws IOException {
    while (true) {
      int type = session.in().readUnsignedByte();
      int length = session.in().readInt();
      byte[] rest = session.in().readNBytes(length - 4);
      client.writeByte(type);
      client.writeInt(length);
      client.write(rest);
      if (type == 'Z') {
        client.flush();
        return (char) rest[0];
      }
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
