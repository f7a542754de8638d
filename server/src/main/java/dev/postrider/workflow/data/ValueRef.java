package dev.postrider.workflow.data;

import org.jspecify.annotations.Nullable;

/**
 * Where a value of a run is: a column of a row of its history. The state of a run has these instead
 * of values, so its size does not depend on theirs.
 *
 * @param seq the number of the row
 * @param item the index in an array, for an item of a map; null for the whole value
 */
public record ValueRef(int seq, Part part, @Nullable Integer item) {

  /** Which column of the history row holds the value. */
  public enum Part {
    /** What the row is about: an input, a result or an error. */
    VALUE,

    /** The data of the scope after the row. */
    DATA
  }

  public static ValueRef value(int seq) {
    return new ValueRef(seq, Part.VALUE, null);
  }

  public static ValueRef data(int seq) {
    return new ValueRef(seq, Part.DATA, null);
  }

  /** An item of the array that the row has as its value. */
  public static ValueRef item(int seq, int index) {
    return new ValueRef(seq, Part.VALUE, index);
  }
}
