package dev.postrider.testkit;

import dev.postrider.app.App;
import dev.postrider.config.Config;
import dev.postrider.json.Json;
import dev.postrider.options.DatabaseOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;

/** Whole servers with their HTTP API on free ports, and a caller with a key. */
public final class Apps implements AutoCloseable {
  public static final String KEY = "sk_the-first-key-of-all-tests";

  private final Databases.Kind kind;
  private final Path folder;
  private final String schema = Databases.freshSchema();
  private final List<App> running = new ArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private final Signals signals;

  public Apps(Databases.Kind kind, Path folder) {
    this(kind, folder, new Signals());
  }

  /** Servers that signal there, as other fixtures of the test do. */
  public Apps(Databases.Kind kind, Path folder, Signals signals) {
    this.kind = kind;
    this.folder = folder;
    this.signals = signals;
  }

  /** A started server; each further one on PostgreSQL is another instance on the same schema. */
  public App start(String... settings) {
    return started(App.open(Config.of(environment(settings))));
  }

  /** Starts a server, which is stopped with the others. */
  public App started(App app) {
    TestEngine.of(app.engine()).signal(signals);
    app.start();
    running.add(app);
    return app;
  }

  /** Waits until the condition holds; fails after 60 s. */
  public void await(String what, BooleanSupplier condition) {
    signals.await(what, condition);
  }

  /** What {@link #start} sets, for servers that are opened in another way. */
  public Map<String, String> environment(String... settings) {
    Map<String, String> environment = environment(database(), folder);
    environment.put("POSTRIDER_PORT", "0");
    environment.put("POSTRIDER_API_KEY", KEY);
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      String name = setting.substring(0, equals);
      // what begins with env: is a variable of another program, such as a key service's address
      environment.put(
          name.startsWith("env:") ? name.substring(4) : "POSTRIDER_" + name,
          setting.substring(equals + 1));
    }
    return environment;
  }

  private DatabaseOptions database() {
    return switch (kind) {
      case SQLITE -> new DatabaseOptions.Sqlite(folder.resolve("postrider.db"), false);
      case POSTGRES -> Databases.settings(schema);
    };
  }

  /** For servers and commands on that database, which may send to the loopback interface. */
  public static Map<String, String> environment(DatabaseOptions database, Path folder) {
    Map<String, String> environment = new HashMap<>();
    environment.put("POSTRIDER_DATA_DIR", folder.toString());
    environment.put("POSTRIDER_ALLOW_TARGETS", "127.0.0.0/8");
    environment.put("POSTRIDER_REQUIRE_HTTPS", "false");
    environment.put("POSTRIDER_SQLITE_SYNCHRONOUS", "normal");
    if (database instanceof DatabaseOptions.Postgres server) {
      environment.put(
          "POSTRIDER_DATABASE_URL",
          server.jdbcUrl().replace("jdbc:postgresql://", "postgres://postgres@"));
      environment.put("POSTRIDER_DATABASE_SCHEMA", server.schema());
      environment.put("POSTRIDER_DATABASE_POOL_SIZE", Integer.toString(server.poolSize()));
    }
    return environment;
  }

  /** An answer with its body as JSON; a missing body is JSON's null. */
  public record Answer(int status, JsonNode json, HttpResponse<String> response) {
    public String text(String pointer) {
      return json.at(pointer).asString();
    }

    public long number(String pointer) {
      return json.at(pointer).asLong();
    }
  }

  public Answer call(App app, String method, String path, String body, String... headers) {
    return callAs(app, KEY, method, path, body, headers);
  }

  /** Calls a path below {@code /api/v1}; an empty body is none. */
  public Answer callAs(
      App app, String token, String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + "/api/v1" + path))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .header("Authorization", "Bearer " + token)
            .timeout(Duration.ofSeconds(20));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    try {
      HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
      return new Answer(
          response.statusCode(),
          response.body().isEmpty()
              ? Json.MAPPER.nullNode()
              : Json.MAPPER.readTree(response.body()),
          response);
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The same, and fails unless the answer has that status. */
  public Answer expect(App app, int status, String method, String path, String body) {
    Answer answer = call(app, method, path, body);
    if (answer.status() != status) {
      throw new AssertionError(
          method + " " + path + " was " + answer.status() + ": " + answer.json());
    }
    return answer;
  }

  public void stop(App app) {
    running.remove(app);
    app.close();
  }

  @Override
  public void close() {
    List.copyOf(running).forEach(this::stop);
    client.close();
  }
}
