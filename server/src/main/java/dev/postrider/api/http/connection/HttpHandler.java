package dev.postrider.api.http.connection;

import io.helidon.http.RequestException;

/** Handles the requests of all connections, each on the thread of its connection. */
public interface HttpHandler {
  /** Sends the response to a request. */
  void handle(HttpRequest request, HttpResponse response);

  /** Sends the response to bytes that are not a valid request; the connection is closed then. */
  void refuse(RequestException refused, HttpResponse response);
}
