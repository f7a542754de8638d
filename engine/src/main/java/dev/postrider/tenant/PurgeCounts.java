package dev.postrider.tenant;

/**
 * The number of deleted rows, or in a dry run of the rows that would be deleted.
 *
 * @param left applications and endpoints that are skipped because they have unfinished deliveries
 *     or are in use
 */
public record PurgeCounts(
    int applications, int endpoints, long messages, long deliveries, long attempts, int left) {
  public static final PurgeCounts NONE = new PurgeCounts(0, 0, 0, 0, 0, 0);

  public PurgeCounts plus(PurgeCounts more) {
    return new PurgeCounts(
        applications + more.applications,
        endpoints + more.endpoints,
        messages + more.messages,
        deliveries + more.deliveries,
        attempts + more.attempts,
        left + more.left);
  }
}
