package dev.postrider.config;

import dev.postrider.net.Cidr;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The value types that several settings share. */
final class Types {
  private static final Pattern CLOCK = Pattern.compile("\\d{2}:\\d{2}");

  private Types() {}

  static ValueType<String> text(String form, Pattern allowed) {
    return checked(form, Function.identity(), value -> allowed.matcher(value).matches());
  }

  static ValueType<Integer> integer(int min, int max) {
    return checked(
        "a whole number from " + min + " to " + max,
        Integer::parseInt,
        value -> value >= min && value <= max);
  }

  /** Above 0, at most 1. */
  static ValueType<Double> fraction() {
    return checked(
        "a number above 0 and at most 1, such as 0.2",
        Double::parseDouble,
        value -> value > 0 && value <= 1);
  }

  static ValueType<Long> size(long min, long max) {
    return checked(
        "a size from " + Quantities.showSize(min) + " to " + Quantities.showSize(max),
        Quantities::parseSize,
        value -> value >= min && value <= max);
  }

  static ValueType<Duration> duration(Duration min, Duration max) {
    return checked(
        "a duration from " + Quantities.show(min) + " to " + Quantities.show(max),
        Quantities::parseDuration,
        value -> value.compareTo(min) >= 0 && value.compareTo(max) <= 0);
  }

  /**
   * Retention is counted in hours or days; shorter units would suggest a precision that pruning
   * does not have.
   */
  static ValueType<Duration> hoursOrDays(Duration min, Duration max) {
    return checked(
        "a number of hours or days from "
            + Quantities.show(min)
            + " to "
            + Quantities.show(max)
            + " (30d, 12h)",
        text -> {
          if (!text.endsWith("h") && !text.endsWith("d")) {
            throw new IllegalArgumentException("needs a unit, h or d");
          }
          return Quantities.parseDuration(text);
        },
        value ->
            value.compareTo(min) >= 0
                && value.compareTo(max) <= 0
                && value.equals(Duration.ofHours(value.toHours())));
  }

  static ValueType<Optional<Duration>> durationOrOff(Duration min, Duration max) {
    return checked(
        duration(min, max).form() + ", or off",
        text -> text.equals("off") ? Optional.empty() : Optional.of(Quantities.parseDuration(text)),
        value ->
            value
                .map(duration -> duration.compareTo(min) >= 0 && duration.compareTo(max) <= 0)
                .orElse(true));
  }

  static ValueType<Boolean> onOff() {
    return checked(
        "true or false",
        text ->
            switch (text.toLowerCase(Locale.ROOT)) {
              case "true", "on", "yes", "1" -> true;
              case "false", "off", "no", "0" -> false;
              default -> throw new IllegalArgumentException("not true or false");
            },
        value -> true);
  }

  static <E extends Enum<E>> ValueType<E> oneOf(Class<E> type) {
    E[] constants = type.getEnumConstants();
    String form = Arrays.stream(constants).map(Types::word).collect(Collectors.joining(", "));
    return checked(
        "one of " + form,
        text ->
            Arrays.stream(constants)
                .filter(constant -> word(constant).equals(text.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown value")),
        value -> true);
  }

  static ValueType<Path> path(String form) {
    return checked(form, Types::toPath, value -> true);
  }

  static ValueType<LocalTime> timeOfDay() {
    return checked(
        "a time of day in UTC, hours and minutes",
        text -> {
          if (!CLOCK.matcher(text).matches()) {
            throw new IllegalArgumentException("not hh:mm");
          }
          try {
            return LocalTime.parse(text);
          } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("not a time", e);
          }
        },
        value -> true);
  }

  /** Shows the messages of the parser and of the check, for types with several kinds of errors. */
  static <T> ValueType<T> explained(String form, Function<String, T> parser, Consumer<T> check) {
    return new ValueType<>(form, parser, check);
  }

  /** An address or a network, kept as it was written. */
  static ValueType<String> network() {
    return explained(Cidr.FORM, text -> text, Cidr::parse);
  }

  static <T> ValueType<List<T>> list(ValueType<T> item) {
    return new ValueType<>(
        "a comma-separated list, each " + item.form(),
        text ->
            Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .map(item.parser())
                .toList(),
        value -> value.forEach(item.check()));
  }

  static <T> ValueType<Optional<T>> optional(ValueType<T> type) {
    return new ValueType<>(
        type.form(),
        text -> text.isEmpty() ? Optional.empty() : Optional.of(type.parser().apply(text)),
        value -> value.ifPresent(type.check()));
  }

  private static <T> ValueType<T> checked(
      String form, Function<String, T> parser, Predicate<T> valid) {
    String message = "must be " + form + ".";
    return new ValueType<>(
        form,
        text -> {
          try {
            return parser.apply(text);
          } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(message, e);
          }
        },
        value -> {
          if (!valid.test(value)) {
            throw new IllegalArgumentException(message);
          }
        });
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static Path toPath(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("not a path", e);
    }
  }
}
