package dev.postrider.eventtype;

/** Told after the commit that changed what an environment's messages must be. */
@FunctionalInterface
public interface EventTypeListener {
  void changed(String environmentId);
}
