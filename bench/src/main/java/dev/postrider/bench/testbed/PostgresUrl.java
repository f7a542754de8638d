package dev.postrider.bench.testbed;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The URL of a PostgreSQL database, in the form of the server's setting and in the form of JDBC.
 */
public record PostgresUrl(String host, int port, String database, String user, String password) {
  private static final int DEFAULT_PORT = 5432;

  public static PostgresUrl local(int port) {
    return new PostgresUrl("127.0.0.1", port, "postgres", "postgres", "postgres");
  }

  /** {@code postgres://user:password@host:port/database}. */
  public static PostgresUrl parse(String url) {
    URI uri = URI.create(url);
    String scheme = uri.getScheme();
    @Nullable String userInfo = uri.getUserInfo();
    if (scheme == null
        || !scheme.startsWith("postgres")
        || uri.getHost() == null
        || userInfo == null) {
      throw new BenchFailure(
          "--database-url must be postgres://user:password@host:port/database of a PostgreSQL where that user may create databases");
    }
    int colon = userInfo.indexOf(':');
    return new PostgresUrl(
        uri.getHost(),
        uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(),
        uri.getPath().substring(1),
        colon < 0 ? userInfo : userInfo.substring(0, colon),
        colon < 0 ? "" : userInfo.substring(colon + 1));
  }

  public PostgresUrl withDatabase(String name) {
    return new PostgresUrl(host, port, name, user, password);
  }

  public String jdbc() {
    return "jdbc:postgresql://%s:%d/%s?user=%s&password=%s"
        .formatted(host, port, database, encoded(user), encoded(password));
  }

  public String setting() {
    return "postgres://%s:%s@%s:%d/%s"
        .formatted(encoded(user), encoded(password), host, port, database);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** Without the password. */
  @Override
  public String toString() {
    return host + ":" + port + "/" + database;
  }
}
