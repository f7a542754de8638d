package dev.postrider.delivery.http;

import dev.postrider.delivery.http.address.LookupsExhausted;
import dev.postrider.options.EgressProxyOptions;
import dev.postrider.options.OptionNames;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.hc.client5.http.DnsResolver;

/**
 * A socket that connects through a SOCKS5 proxy (RFC 1928, RFC 1929). The proxy gets the checked
 * address, never a name. Java's own SOCKS support reads its login from process-wide settings.
 */
final class SocksSocket extends Socket {
  private static final byte VERSION = 5;
  private static final byte NO_LOGIN = 0;
  private static final byte LOGIN = 2;
  private static final byte CONNECT = 1;
  private static final byte IPV4 = 1;
  private static final byte NAME = 3;
  private static final byte IPV6 = 4;
  private static final String[] REFUSALS = {
    "",
    "general failure",
    "not allowed by the rules of the proxy",
    "network unreachable",
    "host unreachable",
    "connection refused",
    "TTL expired",
    "command not supported",
    "address type not supported"
  };

  private final EgressProxyOptions proxy;
  private final DnsResolver proxyNames;
  private final OptionNames names;

  /**
   * @param proxyNames resolves the proxy's own name
   */
  SocksSocket(EgressProxyOptions proxy, DnsResolver proxyNames, OptionNames names) {
    this.proxy = proxy;
    this.proxyNames = proxyNames;
    this.names = names;
  }

  @Override
  public void connect(SocketAddress endpoint, int timeoutMs) throws IOException {
    if (!(endpoint instanceof InetSocketAddress target) || target.isUnresolved()) {
      throw new UnknownHostException("only checked addresses may be connected to, not " + endpoint);
    }
    try {
      super.connect(
          new InetSocketAddress(proxyNames.resolve(proxy.host())[0], proxy.port()), timeoutMs);
    } catch (LookupsExhausted e) {
      throw e;
    } catch (IOException e) {
      throw ProxyFault.unreachable(proxy, e);
    }
    int before = getSoTimeout();
    setSoTimeout(timeoutMs);
    try {
      greet();
      ask(target);
    } catch (ProxyFault | ProxyRefused e) {
      throw e;
    } catch (IOException e) {
      throw ProxyFault.broken(proxy, e);
    }
    setSoTimeout(before);
  }

  private void greet() throws IOException {
    EgressProxyOptions.Login login = proxy.login().orElse(null);
    send(
        login == null
            ? new byte[] {VERSION, 1, NO_LOGIN}
            : new byte[] {VERSION, 2, NO_LOGIN, LOGIN});
    byte[] answer = receive(2);
    if (answer[0] != VERSION) {
      throw new IOException("the server is not a SOCKS5 proxy");
    }
    if (answer[1] == NO_LOGIN) {
      return;
    }
    if (answer[1] != LOGIN || login == null) {
      throw ProxyFault.unauthorized(proxy, names);
    }
    byte[] user = login.user().getBytes(StandardCharsets.UTF_8);
    byte[] password = login.password().reveal().getBytes(StandardCharsets.UTF_8);
    send(
        ByteBuffer.allocate(3 + user.length + password.length)
            .put((byte) 1)
            .put((byte) user.length)
            .put(user)
            .put((byte) password.length)
            .put(password)
            .array());
    if (receive(2)[1] != 0) {
      throw ProxyFault.unauthorized(proxy, names);
    }
  }

  private void ask(InetSocketAddress target) throws IOException {
    InetAddress host = target.getAddress();
    byte[] address = host.getAddress();
    send(
        ByteBuffer.allocate(6 + address.length)
            .put(VERSION)
            .put(CONNECT)
            .put((byte) 0)
            .put(address.length == 4 ? IPV4 : IPV6)
            .put(address)
            .putShort((short) target.getPort())
            .array());
    byte[] answer = receive(4);
    if (answer[1] != 0) {
      throw new ProxyRefused(
          "the egress proxy could not connect to %s:%d: %s"
              .formatted(
                  host.getHostAddress(),
                  target.getPort(),
                  answer[1] > 0 && answer[1] < REFUSALS.length
                      ? REFUSALS[answer[1]]
                      : "code " + (answer[1] & 0xff)));
    }
    // The address that it connects from, which nobody needs.
    int length =
        switch (answer[3]) {
          case IPV4 -> 4;
          case IPV6 -> 16;
          case NAME -> receive(1)[0] & 0xff;
          default -> throw new IOException("the proxy responded with an unknown address type");
        };
    receive(length + 2);
  }

  private void send(byte[] bytes) throws IOException {
    OutputStream out = getOutputStream();
    out.write(bytes);
    out.flush();
  }

  private byte[] receive(int count) throws IOException {
    try {
      byte[] bytes = new byte[count];
      new DataInputStream(getInputStream()).readFully(bytes);
      return bytes;
    } catch (EOFException e) {
      throw new IOException("the proxy closed the connection", e);
    }
  }
}
