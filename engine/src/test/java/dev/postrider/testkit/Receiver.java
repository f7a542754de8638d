package dev.postrider.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.function.Predicate;

/** A real HTTP receiver on loopback that records every request and answers as the test says. */
public final class Receiver implements AutoCloseable {
  /** What came in. Header names are in lower case. */
  public record Request(
      String path, String method, Map<String, List<String>> headers, byte[] body, long atNanos) {
    public String header(String name) {
      List<String> values = headers.get(name.toLowerCase(Locale.ROOT));
      return values == null ? "" : values.getFirst();
    }

    public String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  /** The answer to a request. */
  public record Answer(int status, Map<String, String> headers, String body) {
    public static Answer of(int status) {
      return new Answer(status, Map.of(), "");
    }
  }

  /** Decides the answer; may block to play a slow or hung endpoint. */
  @FunctionalInterface
  public interface Behaviour {
    Answer answer(Request request) throws Exception;
  }

  private final HttpServer server;
  private final List<Request> requests = new ArrayList<>();
  private final Signals signals;
  private volatile Behaviour behaviour = request -> Answer.of(200);

  public Receiver() {
    this(new Signals());
  }

  /** A receiver that signals there when a request has come. */
  public Receiver(Signals signals) {
    this.signals = signals;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::handle);
    server.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    Map<String, List<String>> headers = new HashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), List.copyOf(values)));
    Request request =
        new Request(
            exchange.getRequestURI().toString(),
            exchange.getRequestMethod(),
            headers,
            exchange.getRequestBody().readAllBytes(),
            System.nanoTime());
    synchronized (requests) {
      requests.add(request);
      requests.notifyAll();
    }
    signals.signal();
    try (exchange) {
      Answer answer = behaviour.answer(request);
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      answer.headers().forEach(exchange.getResponseHeaders()::add);
      exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
      if (body.length > 0) {
        exchange.getResponseBody().write(body);
      }
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  public Receiver behave(Behaviour wanted) {
    behaviour = wanted;
    return this;
  }

  public String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  public int port() {
    return server.getAddress().getPort();
  }

  public int count() {
    synchronized (requests) {
      return requests.size();
    }
  }

  public List<Request> requests() {
    synchronized (requests) {
      return List.copyOf(requests);
    }
  }

  public List<Request> requests(Predicate<Request> wanted) {
    return requests().stream().filter(wanted).toList();
  }

  /** Waits until that many requests have come, and returns all; fails after 60 s. */
  public List<Request> await(int count) {
    return await(count, request -> true);
  }

  public List<Request> await(int count, Predicate<Request> wanted) {
    long deadline = System.nanoTime() + 60_000_000_000L;
    synchronized (requests) {
      while (requests.stream().filter(wanted).count() < count) {
        long leftMs = (deadline - System.nanoTime()) / 1_000_000;
        if (leftMs <= 0) {
          throw new AssertionError(
              "only "
                  + requests.stream().filter(wanted).count()
                  + " of "
                  + count
                  + " requests came");
        }
        try {
          requests.wait(leftMs);
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      return requests.stream().filter(wanted).toList();
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
