package dev.postrider.observe;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The label values of a metric that names something callers create. The first ones are kept; all
 * later ones share {@link #OTHER}, so that the number of series has a limit.
 */
final class BoundedLabels {
  static final String OTHER = "other";

  private final int max;
  private final Set<List<String>> known = new HashSet<>();

  BoundedLabels(int max) {
    this.max = max;
  }

  /** The values themselves, or {@link #OTHER} in place of each of them. */
  synchronized List<String> of(List<String> values) {
    return known.contains(values) || (known.size() < max && known.add(values))
        ? values
        : Collections.nCopies(values.size(), OTHER);
  }
}
