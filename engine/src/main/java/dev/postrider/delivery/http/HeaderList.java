package dev.postrider.delivery.http;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The headers of one request, in the order and case given. Append-only and array-backed, because
 * one is filled for every attempt. Names and values are checked when added: no line break can reach
 * the wire.
 */
public final class HeaderList {
  private static final int INITIAL_CAPACITY = 14;

  /** Set by the sender itself; a second one would make the message ambiguous. */
  private static final Set<String> OWNED_BY_SENDER =
      Set.of("host", "content-length", "transfer-encoding", "connection");

  private static final boolean[] TOKEN = tokenCharacters();

  private String[] pairs = new String[2 * INITIAL_CAPACITY];
  private int size;

  /**
   * Appends a header.
   *
   * @throws IllegalArgumentException if the name or value cannot be sent as it is
   */
  public HeaderList add(String name, String value) {
    checkName(name);
    checkValue(name, value);
    append(name, value);
    return this;
  }

  /** Appends a header unless its value cannot be sent. */
  public HeaderList addIfSendable(String name, String value) {
    if (badCharacter(value) < 0) {
      append(name, value);
    }
    return this;
  }

  /** Appends all headers of a list; they were checked when that list was filled. */
  public HeaderList addAll(HeaderList other) {
    int needed = 2 * (size + other.size);
    if (needed > pairs.length) {
      pairs = Arrays.copyOf(pairs, needed);
    }
    System.arraycopy(other.pairs, 0, pairs, 2 * size, 2 * other.size);
    size += other.size;
    return this;
  }

  /** Whether there is a header with that name, case-insensitive. */
  public boolean has(String name) {
    for (int i = 0; i < size; i++) {
      if (pairs[2 * i].equalsIgnoreCase(name)) {
        return true;
      }
    }
    return false;
  }

  public int size() {
    return size;
  }

  public String name(int index) {
    return pairs[2 * checkIndex(index)];
  }

  public String value(int index) {
    return pairs[2 * checkIndex(index) + 1];
  }

  public void forEach(BiConsumer<String, String> action) {
    for (int i = 0; i < size; i++) {
      action.accept(pairs[2 * i], pairs[2 * i + 1]);
    }
  }

  /** The names only: values may be secret. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("HeaderList[");
    for (int i = 0; i < size; i++) {
      text.append(i == 0 ? "" : ", ").append(pairs[2 * i]);
    }
    return text.append(']').toString();
  }

  private void append(String name, String value) {
    if (2 * size == pairs.length) {
      pairs = Arrays.copyOf(pairs, 2 * pairs.length);
    }
    pairs[2 * size] = name;
    pairs[2 * size + 1] = value;
    size++;
  }

  private int checkIndex(int index) {
    if (index < 0 || index >= size) {
      throw new IndexOutOfBoundsException("header " + index + " of " + size);
    }
    return index;
  }

  private static void checkName(String name) {
    boolean ok = !name.isEmpty();
    for (int i = 0; ok && i < name.length(); i++) {
      char c = name.charAt(i);
      ok = c < TOKEN.length && TOKEN[c];
    }
    if (!ok) {
      throw new IllegalArgumentException(
          "a header name may contain only letters, digits and !#$%&'*+-.^_`|~");
    }
    if (isOwnedBySender(name)) {
      throw new IllegalArgumentException("the header " + name + " is set by Postrider; remove it");
    }
  }

  private static boolean isOwnedBySender(String name) {
    return switch (name.length()) {
      case 4, 10, 14, 17 -> OWNED_BY_SENDER.contains(name.toLowerCase(Locale.ROOT));
      default -> false;
    };
  }

  private static void checkValue(String name, String value) {
    int bad = badCharacter(value);
    if (bad >= 0) {
      throw new IllegalArgumentException(
          "the value of header "
              + name
              + " has a character at position "
              + bad
              + " that is not allowed in a header; use printable Latin-1 without line breaks");
    }
  }

  /** The position of the first character that cannot be sent; -1 if there is none. */
  private static int badCharacter(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if ((c < ' ' && c != '\t') || c == 0x7f || c > 0xff) {
        return i;
      }
    }
    return -1;
  }

  private static boolean[] tokenCharacters() {
    boolean[] token = new boolean[128];
    for (char c = '0'; c <= '9'; c++) {
      token[c] = true;
    }
    for (char c = 'a'; c <= 'z'; c++) {
      token[c] = true;
      token[Character.toUpperCase(c)] = true;
    }
    for (char c : "!#$%&'*+-.^_`|~".toCharArray()) {
      token[c] = true;
    }
    return token;
  }
}
