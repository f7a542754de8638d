package dev.postrider.limit;

/**
 * The fair share of a limited resource that one application may hold (engine rule 14a). It gets
 * more only while it holds less than a fixed part of what is still free, so each further greedy
 * application leaves the same fraction of the rest to the others: with a share of 0.2 an
 * application alone reaches a fifth of the resource, and <i>n</i> greedy ones leave at least
 * 0.8<sup>n</sup> of it.
 *
 * @param ofAll what an application alone may reach, above 0; 1 turns the rule off
 */
public record Share(double ofAll) {
  public Share {
    if (!(ofAll > 0 && ofAll <= 1)) {
      throw new IllegalArgumentException("a share must be above 0 and at most 1: " + ofAll);
    }
  }

  /** Whether a holder of this much may take another one, or another byte, of the free ones. */
  public boolean allows(long held, long free) {
    return free > 0 && (ofAll == 1 || held < free * ofFree());
  }

  /** How much more a holder of this much may take before it is rejected. */
  public long more(long held, long free) {
    if (ofAll == 1) {
      return Math.max(0, free);
    }
    return Math.max(0, (long) Math.ceil((free * ofFree() - held) / (1 + ofFree())));
  }

  private double ofFree() {
    return ofAll / (1 - ofAll);
  }
}
