package dev.postrider.api;

import dev.postrider.api.http.Call;
import dev.postrider.api.http.Router;
import io.helidon.http.HeaderNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The OpenAPI document and a page that shows it, served locally. */
final class Docs {
  private final Supplier<List<Router.Route>> routes;
  private volatile byte @Nullable [] document;

  /**
   * @param routes called when the document is first requested
   */
  Docs(Supplier<List<Router.Route>> routes) {
    this.routes = routes;
  }

  /** A short page for people, links for programs. */
  void root(Call call) {
    String accept = call.header(HeaderNames.ACCEPT);
    if (accept != null && accept.contains("text/html")) {
      call.file("text/html; charset=utf-8", resource("root.html"));
      return;
    }
    call.json(
        200,
        out ->
            out.object(
                o ->
                    o.text("name", "Postrider")
                        .text("docs", "/docs")
                        .text("openapi", "/openapi.json")
                        .text("health", "/health")));
  }

  void document(Call call) {
    byte[] known = document;
    if (known == null) {
      known = OpenApi.of(routes.get()).toString().getBytes(StandardCharsets.UTF_8);
      document = known;
    }
    call.json(200, known);
  }

  void page(Call call) {
    call.file("text/html; charset=utf-8", resource("page.html"));
  }

  void script(Call call) {
    call.file("text/javascript; charset=utf-8", resource("page.js"));
  }

  void style(Call call) {
    call.file("text/css; charset=utf-8", resource("page.css"));
  }

  private static byte[] resource(String name) {
    try (InputStream in = Docs.class.getResourceAsStream("/openapi/docs/" + name)) {
      if (in == null) {
        throw new IllegalStateException("resource not found: " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }
}
