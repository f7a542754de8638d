package dev.postrider.configfile;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The variables of {@code .env.NAME}, which is in the folder of the configuration file. It is
 * optional, and never overrides a variable that is set.
 */
public final class VariableFile {
  static final String PREFIX = ".env.";
  static final int MAX_BYTES = 1024 * 1024;

  private static final Pattern LINE =
      Pattern.compile("(?:export\\s+)?([A-Za-z_][A-Za-z0-9_]*)\\s*=\\s*(.*)");

  private VariableFile() {}

  /**
   * The environment with the variables of the file that it does not have.
   *
   * @param folder null for the working directory
   * @param name of the overlay, such as {@code staging}; null for none
   * @throws BadFile with every line that is not an assignment
   */
  public static Map<String, String> under(
      Map<String, String> environment, @Nullable Path folder, @Nullable String name) {
    if (name == null || name.isBlank()) {
      return environment;
    }
    String fileName = PREFIX + ConfigurationText.checkedOverlay(name);
    Path file = folder == null ? Path.of(fileName) : folder.resolve(fileName);
    if (Files.notExists(file)) {
      return environment;
    }
    Map<String, String> variables = new HashMap<>(parse(file));
    environment.forEach(
        (variable, value) -> {
          // An empty variable is how compose files and CI systems spell "not set".
          if (!value.isEmpty()) {
            variables.put(variable, value);
          }
        });
    return variables;
  }

  private static Map<String, String> parse(Path file) {
    Map<String, String> variables = new HashMap<>();
    FileProblems problems = new FileProblems();
    int number = 0;
    for (String line : lines(file)) {
      number++;
      String text = line.strip();
      if (text.isEmpty() || text.startsWith("#")) {
        continue;
      }
      Matcher assignment = LINE.matcher(text);
      if (assignment.matches()) {
        variables.put(assignment.group(1), unquoted(assignment.group(2)));
      } else {
        // Without the line itself, which may be a secret.
        problems.add(
            new FilePosition(file.toString(), number, 1),
            "",
            "is not a variable; write NAME=value, or begin the line with # for a comment");
      }
    }
    problems.throwIfAny();
    return variables;
  }

  private static List<String> lines(Path file) {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw ConfigurationText.bad(
            file.toString(), "is larger than %d bytes; shorten it".formatted(MAX_BYTES));
      }
      return Files.readString(file).replaceFirst("^\uFEFF", "").lines().toList();
    } catch (CharacterCodingException e) {
      throw ConfigurationText.bad(file.toString(), "is not UTF-8 text; save it as UTF-8");
    } catch (IOException e) {
      throw ConfigurationText.bad(
          file.toString(), "cannot be read by this user; change its permissions, or delete it");
    }
  }

  /** One layer of quotes is removed; nothing inside is replaced. */
  private static String unquoted(String value) {
    int last = value.length() - 1;
    boolean quoted =
        last > 0
            && value.charAt(0) == value.charAt(last)
            && (value.charAt(0) == '"' || value.charAt(0) == '\'');
    return quoted ? value.substring(1, last) : value;
  }
}
