package dev.postrider.cli.remote;

import dev.postrider.cli.option.TimeOptions;
import dev.postrider.cli.spec.Specs;
import dev.postrider.cli.terminal.Columns;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/** The filters and columns of commands that list deliveries, of one application or of all. */
public final class DeliveryQuery {
  private static final String SIGNATURE = "--signature";

  private DeliveryQuery() {}

  /** The options that {@link #path} reads. */
  public static Specs addTo(Specs specs, String what) {
    return specs
        .option("--endpoint", "ENDPOINT", "Only " + what + " of this endpoint (uid or id).")
        .option("--session", "SESSION", "Only " + what + " of this agent session.")
        .option(
            SIGNATURE,
            "RESULT",
            "Only "
                + what
                + " of messages that a source verified with this result: valid, missing, not_asked"
                + " or api_key.")
        .option(
            "--since",
            "TIME",
            "Only " + what + " since this time: 2026-01-31T12:00:00Z, or an age such as 2h.")
        .option("--until", "TIME", "Only " + what + " before this time.");
  }

  /**
   * The list with its filters.
   *
   * @param application empty for all applications
   */
  public static String path(String application, String status, ParseResult arguments) {
    StringBuilder path =
        new StringBuilder(
            application.isEmpty()
                ? "/delivery?"
                : "/app/" + Remote.part(application) + "/delivery?");
    add(path, "status", status);
    add(path, "endpoint_id", arguments.matchedOptionValue("--endpoint", ""));
    add(path, "session_id", arguments.matchedOptionValue("--session", ""));
    add(path, "signature", signature(arguments));
    add(path, "after", time(arguments, "--since"));
    add(path, "before", time(arguments, "--until"));
    return path.toString();
  }

  /** Not every command that lists deliveries has the option. */
  private static String signature(ParseResult arguments) {
    return arguments.commandSpec().findOption(SIGNATURE) == null
        ? ""
        : arguments.matchedOptionValue(SIGNATURE, "");
  }

  public static void add(StringBuilder query, String name, @Nullable String value) {
    if (value != null && !value.isEmpty()) {
      query.append('&').append(name).append('=').append(Remote.part(value));
    }
  }

  public static @Nullable String time(ParseResult arguments, String flag) {
    return arguments.hasMatchedOption(flag)
        ? TimeOptions.parse(arguments.matchedOptionValue(flag, ""), flag)
        : null;
  }

  public static Columns columns() {
    return new Columns(
        "CREATED",
        "APPLICATION",
        "DELIVERY",
        "MESSAGE",
        "STATUS",
        "ATTEMPTS",
        "CODE",
        "TARGET",
        "ERROR");
  }

  public static void show(JsonNode delivery, Columns columns) {
    String queue = delivery.path("queue").asString("");
    String code = delivery.at("/lastAttempt/statusCode").asString("");
    columns.add(
        delivery.path("createdAt").asString(),
        delivery.path("applicationUid").asString(delivery.path("applicationId").asString()),
        delivery.path("id").asString(),
        delivery.path("msgId").asString(),
        delivery.path("status").asString(),
        delivery.path("attempts").asString(),
        code.isEmpty() ? "-" : code,
        queue.isEmpty() ? delivery.path("url").asString("-") : "queue " + queue,
        delivery.path("lastError").asString(delivery.path("reason").asString("-")));
  }
}
