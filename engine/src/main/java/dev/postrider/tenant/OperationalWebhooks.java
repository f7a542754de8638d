package dev.postrider.tenant;

/**
 * Finds or creates the application that contains the endpoints for operational webhooks of an
 * environment.
 */
public final class OperationalWebhooks {
  public static final String UID = "operational-webhooks";

  private final ApplicationStore applications;

  public OperationalWebhooks(ApplicationStore applications) {
    this.applications = applications;
  }

  public static String environment(String environmentId) {
    return HiddenEnvironments.OPERATIONAL + environmentId;
  }

  /** Created at the first access. */
  public Application of(String environmentId) {
    Application known = applications.find(environment(environmentId), UID);
    return known != null
        ? known
        : applications
            .createOrGet(environment(environmentId), ApplicationSpec.named(UID, UID))
            .value();
  }
}
