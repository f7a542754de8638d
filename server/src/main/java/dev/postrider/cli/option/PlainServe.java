package dev.postrider.cli.option;

import dev.postrider.cli.spec.ServeAction;
import dev.postrider.config.Setting;
import dev.postrider.config.Settings;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Parses {@code serve} if it has only known flags, each once and with a value ({@code --flag value}
 * or {@code --flag=value}). The full parser takes a quarter of the start time of a server, and the
 * AOT cache does not take the version of its class files. All other command lines use it.
 */
public final class PlainServe {
  private PlainServe() {}

  /** The flags by name, or empty if the full parser is needed. */
  public static Optional<Map<String, String>> flags(String... arguments) {
    if (arguments.length == 0 || !arguments[0].equals("serve")) {
      return Optional.empty();
    }
    Map<String, Setting<?>> known = new HashMap<>();
    Settings.all().forEach(setting -> known.put(setting.flag(), setting));
    Map<String, String> flags = new HashMap<>();
    for (int i = 1; i < arguments.length; i++) {
      int equals = arguments[i].indexOf('=');
      String name = equals < 0 ? arguments[i] : arguments[i].substring(0, equals);
      Setting<?> setting = known.get(name);
      boolean apart = equals < 0 && i + 1 < arguments.length && !arguments[i + 1].startsWith("-");
      if (setting == null
          || flags.containsKey(name)
          || (equals < 0 && (!apart || setting.isSwitch()))) {
        return Optional.empty();
      }
      flags.put(name, equals < 0 ? arguments[++i] : arguments[i].substring(equals + 1));
    }
    return Optional.of(flags);
  }

  public static int run(
      ServeAction action, Map<String, String> environment, Map<String, String> flags) {
    return action.run(FileSettings.config(environment, flags));
  }
}
