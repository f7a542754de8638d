package dev.postrider.api;

import static dev.postrider.api.http.Scope.PUBLIC;

import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Router;
import java.util.List;
import java.util.function.Supplier;

/** The OpenAPI document of all routes, and its page. */
public final class DocsArea implements ApiArea {
  private final Docs docs;

  /**
   * @param routes called when the document is first requested
   */
  DocsArea(Supplier<List<Router.Route>> routes) {
    this.docs = new Docs(routes);
  }

  @Override
  public String name() {
    return "docs";
  }

  @Override
  public void register(Router routes) {
    routes.get("/", PUBLIC, docs::root);
    routes.get("/openapi.json", PUBLIC, docs::document);
    routes.get(V1 + "/openapi.json", PUBLIC, docs::document);
    routes.get("/docs", PUBLIC, docs::page);
    routes.get("/docs/page.js", PUBLIC, docs::script);
    routes.get("/docs/page.css", PUBLIC, docs::style);
  }
}
