package dev.postrider.configfile;

/**
 * A position in a configuration file.
 *
 * @param file empty for a document that was sent with the API
 * @param line from 1; 0 if it is not known
 */
public record FilePosition(String file, int line, int column) {
  public static final FilePosition NONE = new FilePosition("", 0, 0);

  @Override
  public String toString() {
    return line == 0 ? file : file + ":" + line + ":" + column;
  }
}
