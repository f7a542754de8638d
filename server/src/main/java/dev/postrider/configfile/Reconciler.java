package dev.postrider.configfile;

/** One kind of object that a file can own: compares the desired with the current state. */
interface Reconciler {
  /** What the file owns and no longer names. */
  void planDeletes(PlanBuilder plan);

  /** What the file names. */
  void planUpserts(PlanBuilder plan);
}
