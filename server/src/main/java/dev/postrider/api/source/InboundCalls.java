package dev.postrider.api.source;

import dev.postrider.api.form.Limits;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.IdempotencyKeys;
import dev.postrider.api.http.connection.HttpRequest;
import dev.postrider.api.http.connection.HttpResponse;
import dev.postrider.inbound.ClientAddress;
import dev.postrider.inbound.Gateway;
import dev.postrider.inbound.InboundResponse;
import dev.postrider.inbound.KeyedEvent;
import dev.postrider.inbound.RawRequest;
import dev.postrider.inbound.request.Headers;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import io.helidon.http.HeaderNames;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Serves the URLs of sources, {@code /in/{source}}, {@code /in/{environment}/{source}} and {@code
 * /events/{source}/{type}}: passes requests to the gateway and sends its responses.
 */
final class InboundCalls {
  static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  private final Gateway gateway;
  private final ClientAddress addresses;
  private final Optional<URI> publicUrl;

  InboundCalls(SourceServices services) {
    this.gateway = services.gateway();
    this.addresses = services.addresses();
    this.publicUrl = services.publicUrl();
  }

  void receive(Call call) throws IOException {
    receive(call, call.path("source"));
  }

  void receiveOfEnvironment(Call call) throws IOException {
    receive(call, call.path("environment") + "/" + call.path("source"));
  }

  /** An event of a caller with an API key, which takes the place of a signature. */
  void event(Call call) throws IOException {
    String type = call.path("type");
    String problem = Limits.EVENT_TYPE_RULE.problem(type);
    if (problem != null) {
      throw new InvalidFields(
          new Problem(List.of("path", "type"), "event type: " + problem, Problem.VALUE));
    }
    KeyedEvent event =
        new KeyedEvent(
            call.environmentId(),
            call.key().applicationId(),
            call.path("source"),
            type,
            body -> IdempotencyKeys.forEvent(call, body));
    send(call, gateway.receive(event, new Request(call)));
  }

  private void receive(Call call, String key) throws IOException {
    send(call, gateway.receive(key, new Request(call)));
  }

  private static void send(Call call, InboundResponse answer) {
    HttpResponse response = call.response();
    answer.headers().forEach((name, value) -> response.header(HeaderNames.create(name), value));
    if (answer.closes()) {
      response.close();
    }
    response.status(answer.status());
    if (answer.body().length == 0 || call.request().isHead()) {
      response.send();
    } else {
      response.send(answer.body());
    }
  }

  private final class Request implements RawRequest {
    private final Call call;
    private final HttpRequest request;
    private final Headers headers;
    private final String peer;

    Request(Call call) {
      this.call = call;
      this.request = call.request();
      this.headers = Headers.of(request.headers());
      this.peer = host(request.peer());
    }

    @Override
    public String method() {
      return request.method();
    }

    @Override
    public String url() {
      String query = request.rawQuery();
      return base() + request.rawPath() + (query == null ? "" : "?" + query);
    }

    /** The configured public URL, else that of a trusted proxy, else that of the request itself. */
    private String base() {
      if (publicUrl.isPresent()) {
        String text = publicUrl.get().toString();
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
      }
      boolean believed = addresses.isTrusted(peer);
      String protocol = believed ? first(headers.joined("x-forwarded-proto")) : null;
      String host = believed ? first(headers.joined("x-forwarded-host")) : null;
      String own = headers.first("host");
      return (protocol == null ? (request.isSecure() ? "https" : "http") : protocol)
          + "://"
          + (host == null ? (own == null ? "localhost" : own) : host);
    }

    private static @Nullable String first(@Nullable String list) {
      return list == null ? null : list.split(",", 2)[0].strip();
    }

    @Override
    public Headers headers() {
      return headers;
    }

    @Override
    public String peer() {
      return peer;
    }

    @Override
    public OptionalLong announcedLength() {
      return request.contentLength();
    }

    @Override
    public byte[] body(long maxBytes) throws IOException, TooLong {
      try {
        return call.body(maxBytes);
      } catch (ApiError e) {
        if (e.status() == 413) {
          throw new TooLong();
        }
        throw e;
      }
    }
  }

  /** Without the brackets and the zone of an IPv6 address. */
  private static String host(String host) {
    String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    int zone = bare.indexOf('%');
    return zone < 0 ? bare : bare.substring(0, zone);
  }
}
