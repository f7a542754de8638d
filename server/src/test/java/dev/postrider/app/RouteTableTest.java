package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.api.ApiServer;
import dev.postrider.api.http.RouteAttribute;
import dev.postrider.api.http.Router;
import dev.postrider.config.Config;
import dev.postrider.testkit.Apps;
import dev.postrider.testkit.Databases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The docs have a table of all routes, as a server registers them. */
class RouteTableTest {
  /** Tests run in the module's folder. */
  private static final Path PAGE = Path.of("..", "docs", "reference", "routes.md");

  private static final String HEAD =
      """
      # Routes

      All paths that a server serves. Each area of the API registers its own; this table is generated
      from them by `RouteTableTest`. The document that the server has at `/openapi.json` describes each
      call. A variable such as `{application}` is an id, or the uid that a client chose.

      | scope | who may call |
      |---|---|
      | public | anybody; calls that read a queue check the key of the queue themselves |
      | self | any key, about itself |
      | environment | a key of the environment |
      | catalog | a key of the environment, or a token with feature flags |
      | application | a key of the environment, or of the application in the path |

      | method | path | scope | area | returns a secret | notes |
      |---|---|---|---|---|---|
      """;

  private static final String ALIASES =
      """

      ## Aliases

      Paths that begin with an alias have the same methods and variables as the path next to it.

      | alias | path |
      |---|---|
      """;

  @TempDir Path folder;

  @Test
  void docsShowAllRoutes() throws IOException {
    String page = HEAD + rows();
    if (Boolean.getBoolean("postrider.writeDocs")) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
        .as(
            "docs/reference/routes.md is out of date. Write it again with: mvn -pl server test"
                + " -Dtest=RouteTableTest -Dpostrider.writeDocs=true")
        .isEqualTo(page);
  }

  private String rows() {
    try (Apps apps = new Apps(Databases.Kind.SQLITE, folder);
        App app = App.open(Config.of(apps.environment("ECHO=true")))) {
      ApiServer server = app.server();
      return server.routes().stream().map(RouteTableTest::row).collect(Collectors.joining())
          + ALIASES
          + server.aliases().entrySet().stream()
              .map(alias -> "| `%s/…` | `%s/…` |\n".formatted(alias.getKey(), alias.getValue()))
              .collect(Collectors.joining());
    }
  }

  private static String row(Router.Route route) {
    List<RouteAttribute> notes =
        route.attributes().stream().filter(one -> one != RouteAttribute.RETURNS_SECRET).toList();
    return "| %s | `%s` | %s | %s | %s | %s |\n"
        .formatted(
            route.method(),
            route.path(),
            route.scope().name().toLowerCase(Locale.ROOT),
            route.area(),
            route.has(RouteAttribute.RETURNS_SECRET) ? "yes" : "",
            notes.stream().map(RouteAttribute::text).collect(Collectors.joining(", ")))
        .replace("  |", " |");
  }
}
