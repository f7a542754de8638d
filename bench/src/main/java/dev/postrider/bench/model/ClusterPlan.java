package dev.postrider.bench.model;

/**
 * How many cores, instances and databases a rate needs.
 *
 * @param instances of {@code cores} each
 * @param databases of {@code cores} each
 */
public record ClusterPlan(double serverCores, double databaseCores, int instances, int databases) {
  /** A core that is busier makes others wait. */
  public static final double MOST_BUSY = 0.6;

  /**
   * @param cost with the commits of full batches in the cost per message
   * @param cores of a machine
   */
  public static ClusterPlan of(ClusterModel.Cost cost, double rate, int cores) {
    double server = rate * cost.serverMicros() / 1e6;
    double database = rate * cost.databaseMicros() / 1e6;
    return new ClusterPlan(server, database, machines(server, cores), machines(database, cores));
  }

  private static int machines(double busyCores, int cores) {
    return (int) Math.ceil(busyCores / (cores * MOST_BUSY));
  }
}
