package dev.postrider.eventtype;

/** Called after the commit of a change of the event type rules of an environment. */
@FunctionalInterface
public interface EventTypeListener {
  void changed(String environmentId);
}
