package dev.postrider.config;

import dev.postrider.config.Setting.Section;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Writes the reference of all settings: as text for {@code help config}, and as
 * docs/reference/configuration.md.
 */
public final class SettingsText {
  private static final String MARKDOWN_HEAD =
      """
      # Configuration

      <!-- Generated: ./postrider help config --markdown > docs/reference/configuration.md -->

      Every setting is an environment variable and a flag of `postrider serve`. The flag takes
      precedence over the variable, the variable over `settings:` in the configuration file, and that
      over the default. An empty variable counts as not set. Unknown `POSTRIDER_…` variables and flags
      are refused. Prefer variables for secrets: other users of the machine can see the flags of a
      process.

      Durations are whole numbers with a unit (`500ms`, `15s`, `5m`, `24h`, `30d`). Sizes are bytes, or
      have a unit (`512KB`, `1MB`, `1GB`; powers of 1024). Lists are separated by commas.

      `POSTRIDER_JAVA_OPTS` is read by the launcher: additional options for the Java virtual machine,
      such as `-Xmx2g`. Without it the heap is at most 768 MB.
      """;

  private SettingsText() {}

  public static String forTerminal() {
    return Arrays.stream(Section.values())
        .map(section -> section.title() + "\n\n" + join(section, SettingsText::terminalEntry))
        .collect(Collectors.joining("\n"));
  }

  public static String asMarkdown() {
    return MARKDOWN_HEAD
        + Arrays.stream(Section.values())
            .map(
                section ->
                    "\n## "
                        + section.title()
                        + "\n\n| variable | flag | default | meaning |\n|---|---|---|---|\n"
                        + join(section, SettingsText::markdownRow))
            .collect(Collectors.joining());
  }

  private static String join(Section section, Function<Setting<?>, String> entry) {
    return of(section).stream().map(entry).collect(Collectors.joining());
  }

  private static List<Setting<?>> of(Section section) {
    return Settings.all().stream().filter(setting -> setting.section() == section).toList();
  }

  private static String terminalEntry(Setting<?> setting) {
    return "  "
        + setting.variable()
        + ", "
        + setting.flag()
        + "\n      "
        + setting.description()
        + "\n      Form: "
        + setting.form()
        + (setting.defaultText().isEmpty() ? "" : "\n      Default: " + setting.defaultText())
        + "\n      Example: "
        + setting.variable()
        + "="
        + setting.example()
        + "\n";
  }

  private static String markdownRow(Setting<?> setting) {
    String shown = setting.defaultText().isEmpty() ? "" : "`" + setting.defaultText() + "`";
    return "| `"
        + setting.variable()
        + "` | `"
        + setting.flag()
        + "` | "
        + shown
        + " | "
        + setting.description()
        + " Form: "
        + setting.form()
        + ". Example: `"
        + setting.example()
        + "`. |\n";
  }
}
