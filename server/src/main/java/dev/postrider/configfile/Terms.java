package dev.postrider.configfile;

import dev.postrider.json.TextRule;

/**
 * In whose name a document is applied, and what of others it may take.
 *
 * @param owner the file's name, or what the caller chose; deleted is only what belongs to it
 * @param chosen whether the caller chose the owner; if not, a file that is new here is refused
 *     while other files own something, because it may be meant to replace them
 */
public record Terms(String owner, boolean chosen, Takeover takeover) {
  public static final TextRule OWNER_RULE = TextRule.line(1, 256);

  /** What a document takes over when it names something that belongs to others. */
  public enum Takeover {
    NOTHING,
    /** What another file owns: the server's own file may have a new name, and must not stop it. */
    FROM_FILES,
    /** Also what the API created. */
    EVERYTHING
  }

  /** The server's own file. */
  public static Terms ofServer(String file) {
    return new Terms(file, true, Takeover.FROM_FILES);
  }
}
