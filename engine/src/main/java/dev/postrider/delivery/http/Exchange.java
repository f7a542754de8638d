package dev.postrider.delivery.http;

import java.io.IOException;
import org.apache.hc.client5.http.io.ConnectionEndpoint.RequestExecutor;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.protocol.HttpContext;

/** One request and the head of its response on a connection; the body is left to be read. */
final class Exchange implements RequestExecutor {
  private static final int MAX_INTERIM_ANSWERS = 8;

  @Override
  public ClassicHttpResponse execute(
      ClassicHttpRequest request, HttpClientConnection connection, HttpContext context)
      throws IOException, HttpException {
    long before = received(connection);
    boolean sent = false;
    try {
      connection.sendRequestHeader(request);
      connection.flush();
      sent = true;
      return answer(request, connection);
    } catch (IOException broken) {
      if (received(connection) == before) {
        throw new NoFirstByte(broken, sent);
      }
      throw broken;
    }
  }

  private static ClassicHttpResponse answer(
      ClassicHttpRequest request, HttpClientConnection connection)
      throws IOException, HttpException {
    ClassicHttpResponse response = connection.receiveResponseHeader();
    for (int interim = 1; response.getCode() < 200; interim++) {
      if (response.getCode() == 101 || interim > MAX_INTERIM_ANSWERS) {
        throw new ProtocolException("unexpected interim response " + response.getCode());
      }
      response = connection.receiveResponseHeader();
    }
    if (hasBody(request.getMethod(), response.getCode())) {
      connection.receiveResponseEntity(response);
    }
    return response;
  }

  private static boolean hasBody(String method, int status) {
    return switch (method) {
      case "HEAD" -> false;
      case "CONNECT" -> status >= 300;
      default -> status != 204 && status != 304;
    };
  }

  private static long received(HttpClientConnection connection) {
    EndpointDetails details = connection.getEndpointDetails();
    return details == null ? 0 : details.getReceivedBytesCount();
  }
}
