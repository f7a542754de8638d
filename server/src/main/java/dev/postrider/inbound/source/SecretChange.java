package dev.postrider.inbound.source;

import dev.postrider.endpoint.Subscription;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A change of the secrets of a source.
 *
 * @param lists the new secrets by the event type that they are for, newest first; an empty list
 *     deletes those of its event type. The secrets of events without a list of their own are under
 *     {@link #ALL_OTHERS}
 * @param allEventTypes whether the secrets of event types that {@code lists} does not contain are
 *     deleted; otherwise they are kept
 */
public record SecretChange(Map<String, List<SourceSecret>> lists, boolean allEventTypes) {
  /** The name of the secrets of events that have no secret of their own. */
  public static final String ALL_OTHERS = "";

  /** Maximum number of event types, or prefixes of them, with secrets of their own. */
  public static final int MAX_EVENT_TYPES = 100;

  public static final SecretChange NONE = new SecretChange(Map.of(), false);

  public SecretChange {
    lists = Map.copyOf(lists);
  }

  /** Replaces the secrets that are not for certain event types. */
  public static SecretChange of(List<SourceSecret> secrets) {
    return NONE.with(secrets);
  }

  /**
   * The new secrets of event types.
   *
   * @param texts null for none
   * @param all whether all other event types lose theirs
   */
  public static SecretChange ofTexts(@Nullable Map<String, List<String>> texts, boolean all) {
    Map<String, List<SourceSecret>> lists = new HashMap<>();
    if (texts != null) {
      texts.forEach((eventTypes, secrets) -> lists.put(eventTypes, secrets(secrets)));
    }
    return new SecretChange(lists, all);
  }

  /**
   * Replaces the secrets that are not for certain event types.
   *
   * @param texts null for none
   */
  public SecretChange withTexts(@Nullable List<String> texts) {
    return with(texts == null ? List.of() : secrets(texts));
  }

  private static List<SourceSecret> secrets(List<String> texts) {
    return texts.stream().map(SourceSecret::of).toList();
  }

  /**
   * @param secrets null keeps them
   */
  public SecretChange with(@Nullable List<SourceSecret> secrets) {
    if (secrets == null) {
      return this;
    }
    Map<String, List<SourceSecret>> all = new HashMap<>(lists);
    all.put(ALL_OTHERS, List.copyOf(secrets));
    return new SecretChange(all, allEventTypes);
  }

  /** Why secrets cannot be for these event types; null if they can. */
  public static @Nullable String nameProblem(String eventTypes) {
    try {
      return Subscription.parse(eventTypes) instanceof Subscription.All
          ? "\"*\" is not possible here; set secret for all event types without a secret of their own"
          : null;
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  public boolean isEmpty() {
    return lists.isEmpty() && !allEventTypes;
  }

  public boolean replaces(String eventTypes) {
    return lists.containsKey(eventTypes) || (allEventTypes && !eventTypes.equals(ALL_OTHERS));
  }

  /** Which names have secrets after the change. */
  public Set<String> namesAfter(List<Source.SecretNote> before) {
    Set<String> names = new TreeSet<>();
    before.stream()
        .map(Source.SecretNote::eventTypes)
        .filter(eventTypes -> !replaces(eventTypes))
        .forEach(names::add);
    lists.forEach(
        (eventTypes, secrets) -> {
          if (!secrets.isEmpty()) {
            names.add(eventTypes);
          }
        });
    return names;
  }
}
