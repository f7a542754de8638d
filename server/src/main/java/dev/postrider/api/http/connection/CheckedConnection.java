package dev.postrider.api.http.connection;

import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import java.util.Optional;
import java.util.concurrent.ExecutorService;

/** A connection for Helidon whose input is first checked by {@link RequestInput}. */
record CheckedConnection(ConnectionContext connection, DataReader dataReader)
    implements ConnectionContext {
  @Override
  public ListenerContext listenerContext() {
    return connection.listenerContext();
  }

  @Override
  public ExecutorService executor() {
    return connection.executor();
  }

  @Override
  public DataWriter dataWriter() {
    return connection.dataWriter();
  }

  @Override
  public Router router() {
    return connection.router();
  }

  @Override
  public Optional<ProxyProtocolData> proxyProtocolData() {
    return connection.proxyProtocolData();
  }

  @Override
  public HelidonSocket serverSocket() {
    return connection.serverSocket();
  }

  @Override
  public PeerInfo remotePeer() {
    return connection.remotePeer();
  }

  @Override
  public PeerInfo localPeer() {
    return connection.localPeer();
  }

  @Override
  public boolean isSecure() {
    return connection.isSecure();
  }

  @Override
  public String socketId() {
    return connection.socketId();
  }

  @Override
  public String childSocketId() {
    return connection.childSocketId();
  }
}
