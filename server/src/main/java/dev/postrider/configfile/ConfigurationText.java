package dev.postrider.configfile;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A configuration file that was loaded but not parsed yet.
 *
 * @param overlay the file that is merged into it; null for none
 * @param environment the name of the overlay, such as {@code staging}; null for none
 * @param folder where the paths of secret files start, and where the file of variables is; null for
 *     the working directory
 */
public record ConfigurationText(
    Part file, @Nullable Part overlay, @Nullable String environment, @Nullable Path folder) {
  private static final Pattern OVERLAY_NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  /**
   * One file.
   *
   * @param name path or URL, as shown in messages
   */
  public record Part(String name, String text) {}

  /**
   * Reads a file of this machine, and its overlay.
   *
   * @param environment such as {@code staging}, for {@code postrider.staging.yaml} next to {@code
   *     postrider.yaml}; null for none
   * @throws BadFile if one cannot be read
   */
  public static ConfigurationText ofFile(Path file, @Nullable String environment) {
    Part main = part(file, "give another path with --config");
    String name = environment == null || environment.isBlank() ? null : environment;
    Part overlay =
        name == null
            ? null
            : part(overlayOf(file, name), "create it, or remove --env (POSTRIDER_ENV)");
    return new ConfigurationText(main, overlay, name, file.toAbsolutePath().getParent());
  }

  private static Path overlayOf(Path file, String environment) {
    return file.resolveSibling(overlayName(String.valueOf(file.getFileName()), environment));
  }

  /** {@code postrider.staging.yaml} for {@code postrider.yaml}. */
  public static String overlayName(String fileName, String environment) {
    checkedOverlay(environment);
    int dot = fileName.lastIndexOf('.');
    return dot <= 0
        ? fileName + "." + environment
        : fileName.substring(0, dot) + "." + environment + fileName.substring(dot);
  }

  static String checkedOverlay(String environment) {
    if (!OVERLAY_NAME.matcher(environment).matches()) {
      throw new BadFile(
          new FileProblem(
              FilePosition.NONE,
              "",
              "the overlay \"%s\" (--env, POSTRIDER_ENV) must be a word of letters, digits, - and _"
                  .formatted(environment)));
    }
    return environment;
  }

  private static Part part(Path file, String fix) {
    try {
      return new Part(file.toString(), Files.readString(file));
    } catch (CharacterCodingException e) {
      throw bad(file.toString(), "is not UTF-8 text; save it as UTF-8");
    } catch (IOException e) {
      String why = Files.exists(file) ? "cannot be read by this user" : "does not exist";
      throw bad(file.toString(), why + "; " + fix);
    }
  }

  static BadFile bad(String name, String text) {
    return new BadFile(new FileProblem(new FilePosition(name, 0, 0), "", text));
  }
}
