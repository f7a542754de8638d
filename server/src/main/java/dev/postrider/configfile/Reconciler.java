package dev.postrider.configfile;

/** One kind of thing that a file can own: compares what is wanted with what is there. */
interface Reconciler {
  /** What the file owns and no longer names. */
  void planDeletes(PlanBuilder plan);

  /** What the file names. */
  void planUpserts(PlanBuilder plan);
}
