package dev.postrider.config;

import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Parses and checks the text of a setting.
 *
 * @param form completes the sentence "must be …"
 * @param parser throws IllegalArgumentException, whose message is shown to the user
 * @param check the same for a value that did not come from text
 */
record ValueType<T>(String form, Function<String, T> parser, Consumer<T> check) {

  T parse(String text) {
    T value = parser.apply(text);
    check.accept(value);
    return value;
  }
}
