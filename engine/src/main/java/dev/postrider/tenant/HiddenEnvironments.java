package dev.postrider.tenant;

/**
 * The environments that contain applications of Postrider itself, next to each environment of
 * callers. No environment that a caller can name has a colon in it.
 */
public final class HiddenEnvironments {
  static final String OPERATIONAL = "operational:";
  private static final String WORKFLOW = "workflow:";

  private HiddenEnvironments() {}

  /** Contains the applications of the workflows of an environment. */
  public static String ofWorkflows(String environmentId) {
    return WORKFLOW + environmentId;
  }

  public static boolean isHidden(String environmentId) {
    return environmentId.startsWith(OPERATIONAL) || environmentId.startsWith(WORKFLOW);
  }

  /** SQL for the environment that callers know, of a column with an environment. */
  static String visibleSql(String column) {
    return "replace(replace(" + column + ", '" + OPERATIONAL + "', ''), '" + WORKFLOW + "', '')";
  }
}
