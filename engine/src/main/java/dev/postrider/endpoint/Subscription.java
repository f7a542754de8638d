package dev.postrider.endpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** One row of a subscription: an event type, a prefix of event types, or all of them. */
public sealed interface Subscription {
  int MAX_LENGTH = 256;

  /** The characters and length of an event type. */
  Pattern EVENT_TYPE = Pattern.compile("[a-zA-Z0-9\\-_.]{1," + MAX_LENGTH + "}");

  boolean matches(String eventType);

  /** What {@link #parse} reads and the row stores. */
  String text();

  record Exact(String eventType) implements Subscription {
    @Override
    public boolean matches(String type) {
      return eventType.equals(type);
    }

    @Override
    public String text() {
      return eventType;
    }
  }

  /** {@code a.*}: the prefix is {@code a.} with its dot, so {@code ab.x} is never meant. */
  record Prefix(String prefix) implements Subscription {
    public Prefix {
      if (!prefix.endsWith(".")) {
        throw new IllegalArgumentException("the prefix \"" + prefix + "\" must end with a dot");
      }
    }

    @Override
    public boolean matches(String type) {
      return type.startsWith(prefix);
    }

    @Override
    public String text() {
      return prefix + "*";
    }
  }

  record All() implements Subscription {
    @Override
    public boolean matches(String type) {
      return true;
    }

    @Override
    public String text() {
      return "*";
    }
  }

  /**
   * Reads {@code invoice.paid}, {@code invoice.*} or {@code *}.
   *
   * @throws IllegalArgumentException with a message that names the fix
   */
  static Subscription parse(String text) {
    if (text.equals("*")) {
      return new All();
    }
    boolean prefix = text.length() > 2 && text.endsWith(".*");
    String name = prefix ? text.substring(0, text.length() - 1) : text;
    if (!isEventType(name)) {
      throw new IllegalArgumentException(
          "\"%s\" is not a valid event type; use 1 to %d of a-z A-Z 0-9 - _ . (such as invoice.paid), a prefix such as invoice.*, or *"
              .formatted(shown(text), MAX_LENGTH));
    }
    return prefix ? new Prefix(name) : new Exact(name);
  }

  static boolean isEventType(String text) {
    return EVENT_TYPE.matcher(text).matches();
  }

  /**
   * Every row text that matches the event type, for a join by equality: {@code a.b.c} gives {@code
   * *}, {@code a.b.c}, {@code a.*} and {@code a.b.*}.
   */
  static List<String> textsMatching(String eventType) {
    List<String> texts = new ArrayList<>();
    texts.add("*");
    texts.add(eventType);
    // From 1: a prefix has something before its dot.
    for (int dot = eventType.indexOf('.', 1); dot >= 0; dot = eventType.indexOf('.', dot + 1)) {
      texts.add(eventType.substring(0, dot + 1) + "*");
    }
    return texts;
  }

  private static String shown(String text) {
    return text.length() > 80 ? text.substring(0, 80) + "…" : text;
  }
}
