package dev.postrider.configfile.plan;

import dev.postrider.json.TextRule;

/**
 * The conditions under which a document is applied: the owner of the objects that it creates, and
 * which objects of other owners it may take over.
 *
 * @param owner the name of the file, or a name that the caller chose; applying deletes only objects
 *     of this owner
 * @param chosen whether the caller chose the owner; if not, a file that was never applied here is
 *     rejected while other files own objects, because it may be a renamed file
 */
public record Terms(String owner, boolean chosen, Takeover takeover) {
  public static final TextRule OWNER_RULE = TextRule.line(1, 256);

  /** Which objects of other owners a document takes over if it defines them. */
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
