package dev.postrider.delivery.http;

import java.io.IOException;
import java.net.Socket;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocket;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * TLS that is initialized at the first connection that needs it: reading the trust store of Java
 * would noticeably slow down the start.
 */
final class FirstUseTls implements TlsSocketStrategy {
  private final Supplier<TlsSocketStrategy> maker;
  private volatile @Nullable TlsSocketStrategy made;

  FirstUseTls(Supplier<TlsSocketStrategy> maker) {
    this.maker = maker;
  }

  @Override
  public SSLSocket upgrade(
      Socket socket, String target, int port, @Nullable Object attachment, HttpContext context)
      throws IOException {
    return strategy().upgrade(socket, target, port, attachment, context);
  }

  private TlsSocketStrategy strategy() {
    TlsSocketStrategy ready = made;
    if (ready == null) {
      synchronized (maker) {
        ready = made;
        if (ready == null) {
          ready = maker.get();
          made = ready;
        }
      }
    }
    return ready;
  }
}
