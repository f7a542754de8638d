package dev.postrider.workflow.definition;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The classes of errors, as {@code retry} and {@code catch} name them. */
public enum ErrorClass {
  /** The whole step took longer than its timeout, or one request longer than its own. */
  TIMEOUT("timeout"),

  /** The connection failed: name, TLS, reset. */
  NETWORK("network"),

  /** A status from 300 to 499. */
  CLIENT("4xx"),

  /** A status from 500. */
  SERVER("5xx"),

  /** The request never left: guarded address, unusable URL or secret; or a callback said no. */
  REJECTED("rejected"),

  /** An expression failed, or its value is not usable where it stands. */
  EXPRESSION("expression"),

  /** Nobody called back in time. */
  CALLBACK_EXPIRED("callback_expired"),

  /** A child run ended, but not as completed. */
  CHILD_FAILED("child_failed"),

  /** A value or a response is larger than its limit. */
  TOO_LARGE("too_large"),

  /** A limit of the run, such as the visits of a step. */
  LIMIT("limit"),

  /** Every class. In {@code retry}: every class that a repetition can change. */
  ALL("all");

  /** A repetition would give the same error. */
  private static final Set<ErrorClass> NEVER_RETRIED =
      Set.of(EXPRESSION, REJECTED, TOO_LARGE, LIMIT);

  private final String word;

  ErrorClass(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }

  /** Whether {@code retry} may name it. */
  public boolean isRetryable() {
    return !NEVER_RETRIED.contains(this);
  }

  /** The class of this word; null if there is none. */
  public static @Nullable ErrorClass of(String word) {
    for (ErrorClass each : values()) {
      if (each.word.equals(word)) {
        return each;
      }
    }
    return null;
  }

  /** All words, in the order of the reference. */
  public static List<String> words() {
    return Arrays.stream(values()).map(ErrorClass::word).toList();
  }
}
