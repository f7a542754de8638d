package dev.postrider.config;

import dev.postrider.text.Nearest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The value of every setting: from its flag, its variable, the configuration file, or its default.
 */
final class Values {
  /** Read by the launcher, before this program runs. */
  static final Set<String> LAUNCHER_VARIABLES = Set.of("POSTRIDER_JAVA_OPTS");

  /** Read by the commands that call a server. */
  static final Set<String> CLIENT_VARIABLES = Set.of("POSTRIDER_SERVER");

  /** Kubernetes sets these variables in each pod if there is a Service with the name postrider. */
  private static final Pattern SERVICE_LINK =
      Pattern.compile("POSTRIDER_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT_\\d+_(TCP|UDP|SCTP)(_.*)?)");

  private static final String HELP = "postrider help config";

  /** By the settings' names. */
  private final Map<String, Object> values;

  /** The names of the settings that are not set. */
  private final Set<String> defaults;

  private Values(Map<String, Object> values, Set<String> defaults) {
    this.values = values;
    this.defaults = defaults;
  }

  /**
   * @param environment variables by name; those without our prefix are ignored
   * @param flags by spelling, such as {@code --port}
   * @param file settings of the configuration file, by variable
   * @throws ConfigException with every problem at once
   */
  static Values resolve(
      Map<String, String> environment, Map<String, String> flags, Map<String, String> file) {
    List<String> problems = new ArrayList<>();
    refuseUnknown(environment, flags, problems);
    Map<String, Object> values = new LinkedHashMap<>();
    Set<String> defaults = new HashSet<>();
    for (Setting<?> setting : Settings.all()) {
      String given = text(setting, environment, flags, file);
      if (given == null) {
        defaults.add(setting.name());
      }
      String text = given == null ? setting.defaultText() : given;
      if (setting.name().equals(ServerSettings.PORT.name()) && text.startsWith("tcp://")) {
        problems.add(serviceLinkProblem());
        continue;
      }
      try {
        values.put(setting.name(), setting.parse(text));
      } catch (ConfigException e) {
        problems.addAll(e.problems());
      }
    }
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return new Values(values, defaults);
  }

  @SuppressWarnings("unchecked") // resolve() puts only what the setting itself parsed
  <T> T get(Setting<T> setting) {
    Object value = values.get(setting.name());
    if (value == null) {
      throw new IllegalStateException(setting.name() + " is missing from the table of settings");
    }
    return (T) value;
  }

  /** Whether the setting has its default because it was not set. */
  boolean isDefault(Setting<?> setting) {
    return defaults.contains(setting.name());
  }

  /** Null if the setting is not set. */
  private static @Nullable String text(
      Setting<?> setting,
      Map<String, String> environment,
      Map<String, String> flags,
      Map<String, String> file) {
    String flag = flags.getOrDefault(setting.flag(), "").strip();
    // An empty variable is how compose files and CI systems spell "not set".
    String variable = environment.getOrDefault(setting.variable(), "").strip();
    if (!flag.isEmpty()) {
      return flag;
    }
    return variable.isEmpty() ? file.get(setting.variable()) : variable;
  }

  private static void refuseUnknown(
      Map<String, String> environment, Map<String, String> flags, List<String> problems) {
    Set<String> variables =
        Settings.all().stream().map(Setting::variable).collect(Collectors.toSet());
    for (String name : new TreeMap<>(environment).keySet()) {
      if (name.startsWith(Setting.PREFIX)
          && !variables.contains(name)
          && !LAUNCHER_VARIABLES.contains(name)
          && !CLIENT_VARIABLES.contains(name)
          && !SERVICE_LINK.matcher(name).matches()) {
        problems.add(Nearest.unknown("environment variable", name, variables, HELP));
      }
    }
    Set<String> spellings = Settings.all().stream().map(Setting::flag).collect(Collectors.toSet());
    for (String flag : flags.keySet()) {
      if (!spellings.contains(flag)) {
        problems.add(Nearest.unknown("flag", flag, spellings, HELP));
      }
    }
  }

  private static String serviceLinkProblem() {
    return ServerSettings.PORT.variable()
        + " was set by Kubernetes for a Service with the name postrider: set"
        + " enableServiceLinks: false in the pod spec, set the port with "
        + ServerSettings.PORT.flag()
        + ", or rename the Service.";
  }
}
