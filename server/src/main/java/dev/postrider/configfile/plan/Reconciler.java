package dev.postrider.configfile.plan;

/** Plans the changes of one type of object: compares the file with the server. */
interface Reconciler {
  /** What the file owns and no longer names. */
  void planDeletes(PlanBuilder plan);

  /** What the file names. */
  void planUpserts(PlanBuilder plan);
}
