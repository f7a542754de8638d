package dev.postrider.configfile;

/**
 * A problem of the file, with its position and the fix.
 *
 * @param key the path of the key, such as {@code handlers.build.url}; empty for the whole file
 */
public record FileProblem(FilePosition place, String key, String text) {

  /** In the format of compilers, so that editors can jump there. */
  @Override
  public String toString() {
    StringBuilder shown = new StringBuilder(place.toString());
    for (String part : new String[] {key, text}) {
      if (!part.isEmpty()) {
        shown.append(shown.isEmpty() ? "" : ": ").append(part);
      }
    }
    return shown.toString();
  }
}
