package dev.postrider.api.http;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** Assigns an id to each request; every response and log entry of the request contains it. */
public final class RequestIds {
  public static final HeaderName HEADER = HeaderNames.create("x-request-id");

  private static final int MAX_LENGTH = 64;

  private final String base;
  private final AtomicLong requests = new AtomicLong();

  public RequestIds(RandomGenerator random) {
    this.base = "req_" + Long.toHexString(random.nextLong()) + "-";
  }

  public String next() {
    return base + requests.incrementAndGet();
  }

  /** The id of the client if it is safe, else a new one. */
  String of(String given) {
    boolean harmless = !given.isEmpty() && given.length() <= MAX_LENGTH;
    for (int i = 0; harmless && i < given.length(); i++) {
      char c = given.charAt(i);
      harmless =
          (c >= '0' && c <= '9')
              || (c >= 'A' && c <= 'Z')
              || (c >= 'a' && c <= 'z')
              || c == '-'
              || c == '_'
              || c == '.';
    }
    return harmless ? given : next();
  }
}
