package dev.postrider.app;

import dev.postrider.time.SystemTime;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sends to a server what a real one receives: messages that are delivered, that fail and are
 * retried, repeated calls, batches and the lists of a dashboard. The launcher records this run to
 * create the AOT cache, which then holds the classes that were used and the profiles of the methods
 * that were called often enough to be compiled.
 */
final class WarmUp {
  /** Fewer leave half of the hot methods without a profile; docs/internals/performance.md. */
  static final int MESSAGES = 6_000;

  private static final int CALLERS = 8;
  private static final int APPLICATIONS = 4;

  /** Every so many messages a dashboard is looked at, a batch is sent and a call is repeated. */
  private static final int LOOK_EVERY = 50;

  private static final int BATCH = 10;
  private static final int BODY_BYTES = 400;
  private static final long SEND_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long DELIVERED_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

  private final TimeSource time = new SystemTime();
  private final App app;
  private final HttpClient client;
  private final TrainingReceiver receiver;
  private final int messages;
  private final String key;
  private final List<String> endpoints = new ArrayList<>();
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger sent = new AtomicInteger();

  private WarmUp(App app, HttpClient client, TrainingReceiver receiver, int messages) {
    this.app = app;
    this.client = client;
    this.receiver = receiver;
    this.messages = messages;
    this.key = app.generatedKey().orElse("");
  }

  static void run(App app, int messages) {
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        TrainingReceiver receiver = TrainingReceiver.start()) {
      new WarmUp(app, client, receiver, messages).run();
    } catch (IOException e) {
      throw new IllegalStateException(
          "the warm-up could not connect to the server that it started: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() throws IOException, InterruptedException {
    for (int i = 0; i < APPLICATIONS; i++) {
      post("/app", "{\"name\":\"warm %1$d\",\"uid\":\"%2$s\"}".formatted(i, application(i)));
      endpoints.add(endpoint(i, "ok", "training.sent"));
      endpoint(i, "retry", "training.retried");
      endpoint(i, "fail", "training.failed");
    }
    long deadline = time.nanos() + SEND_LIMIT_NANOS;
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        running.add(
            callers.submit(
                () -> {
                  send(deadline);
                  return true;
                }));
      }
      for (Future<?> caller : running) {
        caller.get();
      }
    } catch (ExecutionException e) {
      throw new IOException(e.getCause() == null ? e : e.getCause());
    }
    long limit = time.nanos() + DELIVERED_LIMIT_NANOS;
    while (receiver.accepted() < sent.get() && time.nanos() < limit) {
      LockSupport.parkNanos(STEP_NANOS);
    }
    look(0, "");
  }

  private static String application(int i) {
    return "warm-" + i % APPLICATIONS;
  }

  private String endpoint(int i, String path, String eventType)
      throws IOException, InterruptedException {
    return id(
        post(
            "/app/" + application(i) + "/endpoint",
            """
            {"url":"%s","filterTypes":["%s"],"retryPolicy":"100ms,100ms"}\
            """
                .formatted(receiver.url(path), eventType)));
  }

  private void send(long deadline) throws IOException, InterruptedException {
    for (int n = next.getAndIncrement(); n < messages; n = next.getAndIncrement()) {
      if (time.nanos() > deadline) {
        return;
      }
      boolean isFailing = n % LOOK_EVERY == 1;
      String type = isFailing ? "failed" : n % LOOK_EVERY == 2 ? "retried" : "sent";
      String path = "/app/" + application(n) + "/msg";
      String body = message(n, type);
      String idempotencyKey = "warm-" + n;
      String id = id(call("POST", path, body, idempotencyKey));
      if (!isFailing) {
        sent.incrementAndGet();
      }
      if (n % LOOK_EVERY == 0) {
        call("POST", path, body, idempotencyKey);
        batch(n, path);
        look(n, id);
      }
    }
  }

  private void batch(int n, String path) throws IOException, InterruptedException {
    List<String> items = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      items.add(message(n, "sent"));
    }
    call("POST", path + "/batch", "{\"messages\":[" + String.join(",", items) + "]}", "batch-" + n);
    sent.addAndGet(BATCH);
  }

  /** What a dashboard and a monitoring system ask for. */
  private void look(int n, String message) throws IOException, InterruptedException {
    String app = "/app/" + application(n);
    String endpoint = endpoints.get(n % APPLICATIONS);
    get(app + "/msg");
    get(app + "/endpoint");
    get(app + "/endpoint/" + endpoint);
    get(app + "/endpoint/" + endpoint + "/stats");
    get(app + "/attempt/endpoint/" + endpoint);
    get(app + "/delivery");
    get(app + "/statistics");
    if (!message.isEmpty()) {
      get(app + "/msg/" + message);
      get(app + "/attempt/msg/" + message);
    }
  }

  private static String message(int n, String type) {
    return "{\"eventType\":\"training.%s\",\"payload\":{\"n\":%d,\"text\":\"%s\"}}"
        .formatted(type, n, "x".repeat(BODY_BYTES));
  }

  private static String id(String answer) throws IOException {
    Matcher found = ID.matcher(answer);
    if (!found.find()) {
      throw new IOException("no id in a response");
    }
    return found.group(1);
  }

  private void get(String path) throws IOException, InterruptedException {
    call("GET", path, "", "");
  }

  private String post(String path, String body) throws IOException, InterruptedException {
    return call("POST", path, body, "");
  }

  private String call(String method, String path, String body, String idempotencyKey)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + "/api/v1" + path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .method(
                method,
                body.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (!idempotencyKey.isEmpty()) {
      request.header("Idempotency-Key", idempotencyKey);
    }
    HttpResponse<String> answer =
        client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() >= 300) {
      throw new IOException(path + " responded with status " + answer.statusCode());
    }
    return answer.body();
  }
}
