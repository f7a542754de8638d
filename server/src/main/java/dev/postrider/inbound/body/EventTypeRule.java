package dev.postrider.inbound.body;

import dev.postrider.inbound.request.Extractor;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.Schemes;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Determines the event type of a request; always returns a valid one. */
public final class EventTypeRule {
  public static final int MAX_CHARACTERS = 256;

  /** The event type of a request in which none is found. */
  public static final String FALLBACK = "event";

  private static final Pattern SEPARATOR = Pattern.compile("[/:]+");
  private static final Pattern OTHER = Pattern.compile("[^a-zA-Z0-9\\-_.]+");

  private final Extractor extractor;

  private EventTypeRule(Extractor extractor) {
    this.extractor = extractor;
  }

  /** By any extractor, such as an expression of the source's owner. */
  public static EventTypeRule of(Extractor extractor) {
    return new EventTypeRule(extractor);
  }

  public static EventTypeRule fixed(String type) {
    if (!type.equals(sanitise(type))) {
      throw new IllegalArgumentException(
          "event type: must have 1 to 256 letters, digits, hyphens, underscores and dots");
    }
    return new EventTypeRule(Extractor.fixed(type));
  }

  /** CloudEvents in either mode, else by the rule of the scheme's provider. */
  public static EventTypeRule ofScheme(String scheme) {
    return new EventTypeRule(Schemes.get(scheme).eventType());
  }

  public String typeOf(InboundRequest request) {
    String found = extractor.extract(request);
    return found == null ? FALLBACK : sanitise(found);
  }

  /**
   * Slashes and colons become dots, other invalid characters underscores; an empty text becomes the
   * default.
   */
  public static String sanitise(@Nullable String text) {
    if (text == null) {
      return FALLBACK;
    }
    String cut = text.strip();
    cut = cut.length() > MAX_CHARACTERS ? cut.substring(0, MAX_CHARACTERS) : cut;
    String type = OTHER.matcher(SEPARATOR.matcher(cut).replaceAll(".")).replaceAll("_");
    return type.isEmpty() ? FALLBACK : type;
  }
}
