package dev.postrider.cli.remote;

import dev.postrider.cli.option.FileOptions;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.ConfigurationFile;
import dev.postrider.configfile.FileProblem;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends a configuration file to the server and prints the plan; used by {@code plan} and {@code
 * apply}.
 */
public final class PlanText {
  private static final Map<String, String> SIGNS =
      Map.of("create", "+", "update", "~", "adopt", "!", "delete", "-", "release", "o");

  private PlanText() {}

  public static CommandSpec options(String name) {
    return Remote.addTo(FileOptions.addTo(CommandSpec.create().name(name)))
        .addOption(
            OptionSpec.builder("--adopt")
                .type(boolean.class)
                .description("Takes over existing objects on the server that have the same names.")
                .build())
        .addOption(
            OptionSpec.builder("--owner")
                .type(String.class)
                .paramLabel("NAME")
                .description(
                    "The owner name under which the file is applied. Only objects applied under the same"
                        + " owner name are deleted. Default: the file name without its folder")
                .build());
  }

  /** Sends the file; errors of the server are reported with their position in the file. */
  public static JsonNode send(
      Remote remote, ParseResult arguments, Terminal terminal, ConfigurationFile file) {
    String name = FileOptions.location(arguments, terminal).fileName();
    String owner = arguments.matchedOptionValue("--owner", "");
    String query =
        (owner.isEmpty() ? "?file=" + Remote.part(name) : "?owner=" + Remote.part(owner))
            + (arguments.matchedOptionValue("--adopt", false) ? "&adopt=true" : "");
    try {
      JsonNode plan =
          remote.post("/configuration/" + arguments.commandSpec().name() + query, file.toJson());
      List<String> warnings = FileOptions.warnings(file);
      if (!warnings.isEmpty() && plan instanceof ObjectNode answer) {
        warnings.forEach(answer.putArray("warnings")::add);
      }
      return plan;
    } catch (CallRefused e) {
      if (e.status() != 422 || e.details().isEmpty()) {
        throw e;
      }
      throw new BadFile(
          e.details().stream()
              .map(
                  detail ->
                      new FileProblem(file.placeOf(detail.where()), detail.where(), detail.text()))
              .toList());
    }
  }

  public static String show(JsonNode plan) {
    StringBuilder text = new StringBuilder();
    Map<String, Integer> counts = new TreeMap<>();
    for (JsonNode change : plan.path("changes")) {
      String action = change.path("action").asString();
      counts.merge(action, 1, Integer::sum);
      text.append(
          "%s %s %s %s%n"
              .formatted(
                  SIGNS.getOrDefault(action, "?"),
                  action,
                  change.path("kind").asString(),
                  change.path("name").asString()));
      for (JsonNode field : change.path("fields")) {
        text.append(
            "    %s: %s -> %s%n"
                .formatted(
                    field.path("name").asString(), value(field, "before"), value(field, "after")));
      }
    }
    String sum =
        counts.entrySet().stream()
            .map(each -> each.getValue() + " to " + each.getKey().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));
    return text + (sum.isEmpty() ? "No changes." : sum + ".");
  }

  private static String value(JsonNode field, String name) {
    JsonNode value = field.path(name);
    return value.isNull() || value.isMissingNode() ? "(not set)" : value.asString();
  }
}
