package dev.postrider.cli.remote;

import dev.postrider.cli.option.FileSettings;
import dev.postrider.cli.spec.Specs;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Config;
import dev.postrider.config.ConfigException;
import dev.postrider.config.ServerConfig;
import dev.postrider.options.MasterKeySource;
import dev.postrider.tenant.key.LocalTokens;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** Calls the API of a running server. */
public final class Remote implements AutoCloseable {
  static final String SERVER = "--server";
  static final String KEY = "--key";
  static final String SERVER_VARIABLE = "POSTRIDER_SERVER";
  static final String KEY_VARIABLE = "POSTRIDER_API_KEY";
  static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** Numbers keep the digits of the response. */
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private final String base;
  private final String key;
  private final HttpClient client = http1(Duration.ofSeconds(5));

  /** A client that does not offer h2c: some servers reject a request with an upgrade header. */
  public static HttpClient http1(Duration connectTimeout) {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(connectTimeout)
        .build();
  }

  Remote(String base, String key) {
    this.base = base.replaceAll("/+$", "");
    this.key = key;
  }

  /** The specification of a command that calls a server. */
  public static Specs command(String name, String description) {
    return Specs.command(name, description).with(Remote::addTo);
  }

  public static CommandSpec addTo(CommandSpec spec) {
    return spec.addOption(
            OptionSpec.builder(SERVER)
                .type(String.class)
                .paramLabel("URL")
                .description(
                    "URL of the server. Default: %s, else the address in the settings of this machine"
                        .formatted(SERVER_VARIABLE))
                .build())
        .addOption(
            OptionSpec.builder(KEY)
                .type(String.class)
                .paramLabel("KEY")
                .description(
                    "The API key. Default: %s, else a token derived from the master key file, if this user can read it. Other users can see the flags of a process, so prefer the variable"
                        .formatted(KEY_VARIABLE))
                .build());
  }

  public static Remote of(ParseResult arguments, Terminal terminal) {
    Map<String, String> environment = terminal.environment();
    String base =
        arguments.matchedOptionValue(SERVER, environment.getOrDefault(SERVER_VARIABLE, ""));
    String key = arguments.matchedOptionValue(KEY, environment.getOrDefault(KEY_VARIABLE, ""));
    Config config = base.isBlank() || key.isBlank() ? settings(environment) : null;
    return new Remote(
        checked(base.isBlank() && config != null ? address(config.server()) : base),
        key.isBlank() && config != null ? localToken(config) : key);
  }

  private static Config settings(Map<String, String> environment) {
    try {
      return FileSettings.ofSection(environment);
    } catch (ConfigException e) {
      throw new UserError(
          "The settings of the server on this machine cannot be read. Fix them, or use --server"
              + " and --key. "
              + e.getMessage());
    }
  }

  private static String checked(String base) {
    try {
      URI uri = URI.create(base);
      if (("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getHost() != null) {
        return base;
      }
    } catch (IllegalArgumentException _) {
      // reported below
    }
    throw new UserError(
        "\"%s\" is not a valid server URL. Use a URL such as --server http://127.0.0.1:8080."
            .formatted(base));
  }

  public static String address(ServerConfig server) {
    String host = server.host();
    String reachable = host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
    return "%s://%s:%d"
        .formatted(
            server.tls().isPresent() ? "https" : "http",
            reachable.contains(":") ? "[" + reachable + "]" : reachable,
            server.port());
  }

  /** A process that may read the master key may call the server. */
  private static String localToken(Config config) {
    Path file =
        switch (config.security().masterKey()) {
          case MasterKeySource.Generated(Path path) -> path;
          case MasterKeySource.File(Path path) -> path;
          case MasterKeySource.Text _, MasterKeySource.Kms _ -> null;
        };
    if (file == null || !Files.isReadable(file)) {
      throw new UserError(
          "No API key is set. Set %s, or run this command as the server's user in the folder where the server was started%s."
              .formatted(
                  KEY_VARIABLE,
                  file == null ? "" : " (the master key file cannot be read: " + file + ")"));
    }
    try {
      return new LocalTokens(file, new SystemTime()).make();
    } catch (IOException e) {
      throw new UserError("Cannot read " + file + ": " + e.getMessage() + ". Set " + KEY_VARIABLE);
    }
  }

  public String base() {
    return base;
  }

  /** One part of a path. */
  public static String part(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  public JsonNode get(String path) {
    return call("GET", path, null);
  }

  public JsonNode post(String path, @Nullable String body) {
    return call("POST", path, body);
  }

  /** A call that takes longer than others. */
  public JsonNode post(String path, String body, Duration timeout) {
    return parse(text(request("POST", path, body, timeout)));
  }

  /** The same, with the payloads of messages unchanged. */
  JsonNode messages(String path) {
    String text = text("GET", path, null);
    return ExactPayloads.kept(parse(text), text);
  }

  /** Calls a path below {@code /api/v1}; a JSON null if the response has no body. */
  JsonNode call(String method, String path, @Nullable String body) {
    String text = text(method, path, body);
    return text.isEmpty() ? JSON.nullNode() : parse(text);
  }

  private String text(String method, String path, @Nullable String body) {
    return text(request(method, path, body, TIMEOUT));
  }

  private String text(HttpRequest request) {
    HttpResponse<String> response = send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() >= 300) {
      throw refused(response.statusCode(), response.body());
    }
    return response.body();
  }

  private static JsonNode parse(String body) {
    try {
      return JSON.readTree(body);
    } catch (JacksonException e) {
      throw new UserError(
          "The response of the server is not JSON. Check that --server is the URL of a"
              + " Postrider server.");
    }
  }

  /** A response that does not end by itself, such as a live feed. */
  HttpResponse<InputStream> stream(String path, String... headers) {
    HttpRequest.Builder request = builder(path).GET();
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    HttpResponse<InputStream> response =
        send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    if (response.statusCode() >= 300) {
      throw refused(response.statusCode(), "");
    }
    return response;
  }

  private HttpRequest request(String method, String path, @Nullable String body, Duration timeout) {
    HttpRequest.Builder request = builder(path).timeout(timeout);
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    return request
        .method(
            method,
            body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  private HttpRequest.Builder builder(String path) {
    return HttpRequest.newBuilder(URI.create(base + "/api/v1" + path))
        .header("Authorization", "Bearer " + key);
  }

  private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    try {
      return client.send(request, handler);
    } catch (ConnectException | HttpTimeoutException e) {
      throw new ServerUnreachable(
          "No server responds at %s. Start it with postrider serve, or give another URL with --server."
              .formatted(base));
    } catch (IOException e) {
      throw new ServerUnreachable(
          "The connection to %s was interrupted: %s".formatted(base, e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServerUnreachable("interrupted");
    }
  }

  /** The error that the server reported. */
  private CallRefused refused(int status, String body) {
    List<CallRefused.Detail> details = new ArrayList<>();
    try {
      JsonNode detail = body.isEmpty() ? JSON.missingNode() : JSON.readTree(body).path("detail");
      if (detail.isString()) {
        details.add(new CallRefused.Detail("", detail.stringValue()));
      }
      for (JsonNode one : detail.isArray() ? detail : JSON.createArrayNode()) {
        JsonNode loc = one.path("loc");
        String where = loc.isEmpty() ? "" : loc.get(loc.size() - 1).asString();
        details.add(new CallRefused.Detail(where, one.path("msg").asString("")));
      }
    } catch (JacksonException _) {
      // Not a response of our server; only the status is known.
    }
    String fix =
        switch (status) {
          case 401 ->
              "The server at %s rejected the API key. Set %s, or use --key."
                  .formatted(base, KEY_VARIABLE);
          case 403 -> "The API key does not have permission for this command.";
          case 404 -> "The server did not find the requested object.";
          default -> "The server rejected the request (" + status + ").";
        };
    return new CallRefused(status, fix, details);
  }

  @Override
  public void close() {
    // Not close(), which would wait for a feed that never ends.
    client.shutdownNow();
  }
}
