package dev.postrider.configfile;

/**
 * What is wrong, where, and how to mend it.
 *
 * @param key the path of the key, such as {@code handlers.build.url}; empty for the whole file
 */
public record FileProblem(FilePosition place, String key, String text) {

  /** As a compiler would say it, so that editors can jump there. */
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
