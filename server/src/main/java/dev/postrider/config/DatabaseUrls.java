package dev.postrider.config;

import dev.postrider.options.Secret;
import dev.postrider.text.Percent;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Parses the usual forms of a database URL: {@code sqlite:path}, the {@code postgres://} of libpq
 * and hosting platforms, and the driver's own {@code jdbc:postgresql:}. No message repeats the
 * text, since it may contain a password.
 */
final class DatabaseUrls {
  static final String FORM =
      "sqlite:path, postgres://user:password@host:port/database or jdbc:postgresql://host/database";

  private static final Pattern HOSTS =
      Pattern.compile("[^,:@/\\[\\]]+(:\\d{1,5})?(,[^,:@/\\[\\]]+(:\\d{1,5})?)*");
  private static final Pattern IPV6_HOST = Pattern.compile("\\[[0-9a-fA-F:.]+\\](:\\d{1,5})?");

  /** Options that have different names in libpq and the driver. */
  private static final Map<String, String> DRIVER_NAMES =
      Map.of(
          "application_name", "ApplicationName",
          "connect_timeout", "connectTimeout",
          "target_session_attrs", "targetServerType");

  private DatabaseUrls() {}

  static DatabaseUrl parse(String text, String schema) {
    int colon = text.indexOf(':');
    String scheme = colon < 0 ? "" : text.substring(0, colon).toLowerCase(Locale.ROOT);
    String rest = text.substring(colon + 1);
    return switch (scheme) {
      case "sqlite" -> sqlite(rest);
      case "postgres", "postgresql" -> postgres(rest, schema);
      case "jdbc" -> jdbc(rest, schema);
      case "" -> throw refused("has no scheme: it must be " + FORM + ".");
      default ->
          throw refused("has the unknown scheme \"" + scheme + "\": it must be " + FORM + ".");
    };
  }

  private static DatabaseUrl jdbc(String rest, String schema) {
    String lower = rest.toLowerCase(Locale.ROOT);
    if (lower.startsWith("postgresql://")) {
      return postgres(rest.substring("postgresql:".length()), schema);
    }
    if (lower.startsWith("postgresql:")) {
      return postgres("//localhost/" + rest.substring("postgresql:".length()), schema);
    }
    throw refused("needs a JDBC driver that is not installed: it must be " + FORM + ".");
  }

  private static DatabaseUrl.Sqlite sqlite(String rest) {
    String path = rest.startsWith("///") ? rest.substring(2) : rest;
    if (path.isEmpty() || path.endsWith("/")) {
      throw refused("has no file path: write sqlite:path/to/postrider.db.");
    }
    if (path.startsWith("//")) {
      throw refused(
          "has two slashes, so that the folder would be read as a host name: write"
              + " sqlite:relative/path or sqlite:/absolute/path.");
    }
    if (path.contains(":memory:") || path.contains("?")) {
      throw refused(
          "must be a database file, because accepted messages have to survive a restart: write"
              + " sqlite:path/to/postrider.db.");
    }
    try {
      return new DatabaseUrl.Sqlite(Path.of(path));
    } catch (InvalidPathException e) {
      throw refused("is not a valid path on this machine.");
    }
  }

  private static DatabaseUrl.Postgres postgres(String rest, String schema) {
    if (!rest.startsWith("//")) {
      throw refused("needs two slashes after the scheme: postgres://host/database.");
    }
    String address = rest.substring(2);
    int question = address.indexOf('?');
    Map<String, String> query = query(question < 0 ? "" : address.substring(question + 1));
    String location = question < 0 ? address : address.substring(0, question);

    int slash = location.indexOf('/');
    String authority = slash < 0 ? location : location.substring(0, slash);
    String database = slash < 0 ? "" : Percent.decode(location.substring(slash + 1));
    // The last @, since passwords that were not percent-encoded often hold one.
    int at = authority.lastIndexOf('@');
    String hosts = at == authority.length() - 1 ? "localhost" : authority.substring(at + 1);
    String userInfo = at < 0 ? "" : authority.substring(0, at);
    checkHosts(hosts);
    if (database.isEmpty() || database.contains("/")) {
      throw refused("has no database name: write postgres://user:password@" + hosts + "/database.");
    }

    int colon = userInfo.indexOf(':');
    String user = Percent.decode(colon < 0 ? userInfo : userInfo.substring(0, colon));
    String password = colon < 0 ? "" : Percent.decode(userInfo.substring(colon + 1));
    user = query.containsKey("user") ? query.remove("user") : user;
    password = query.containsKey("password") ? query.remove("password") : password;
    return new DatabaseUrl.Postgres(
        "jdbc:postgresql://" + hosts + "/" + Percent.encode(database) + options(query),
        // As in libpq: without a database name, the name of the user that runs the process.
        user.isEmpty() ? System.getProperty("user.name") : user,
        new Secret(password),
        schema);
  }

  private static void checkHosts(String hosts) {
    if (!HOSTS.matcher(hosts).matches() && !IPV6_HOST.matcher(hosts).matches()) {
      throw refused(
          "has no valid host and port: write postgres://user:password@host:5432/database, and"
              + " percent-encode /, ?, # and @ in the password (%2F, %3F, %23, %40).");
    }
  }

  private static Map<String, String> query(String text) {
    Map<String, String> query = new LinkedHashMap<>();
    for (String pair : text.isEmpty() ? new String[0] : text.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals <= 0) {
        throw refused("has an option without a value: write ?name=value&name=value.");
      }
      query.put(
          Percent.decode(pair.substring(0, equals)), Percent.decode(pair.substring(equals + 1)));
    }
    return query;
  }

  private static String options(Map<String, String> query) {
    List<String> options = new ArrayList<>();
    query.forEach(
        (name, value) ->
            options.add(
                Percent.encode(DRIVER_NAMES.getOrDefault(name, name))
                    + "="
                    + Percent.encode(driverValue(name, value))));
    return options.isEmpty() ? "" : "?" + String.join("&", options);
  }

  private static String driverValue(String name, String value) {
    if (!name.equals("target_session_attrs")) {
      return value;
    }
    return switch (value) {
      case "read-write" -> "primary";
      case "read-only", "standby" ->
          throw refused("must be a writable database, not a read-only one.");
      default -> value;
    };
  }

  private static IllegalArgumentException refused(String message) {
    return new IllegalArgumentException(message);
  }
}
