package dev.postrider.file;

/** One kind of thing that a file can own: compares what is wanted with what is there. */
interface Part {
  /** What the file owns and no longer names. */
  void gone(Draft draft);

  /** What the file names. */
  void wanted(Draft draft);
}
