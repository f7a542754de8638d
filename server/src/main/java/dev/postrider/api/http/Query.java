package dev.postrider.api.http;

import dev.postrider.api.form.Limits;
import dev.postrider.api.form.Pages;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.json.TextRule;
import dev.postrider.json.Times;
import dev.postrider.storage.Keyset;
import io.helidon.common.uri.UriQuery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the query parameters of a request; an invalid value is answered with 422 and the name of
 * the parameter.
 */
public final class Query {
  static final Query NONE = new Query(UriQuery.empty());

  private final UriQuery values;

  Query(UriQuery values) {
    this.values = values;
  }

  @Nullable
  public String text(String name, TextRule rule) {
    String value = value(name);
    if (value == null) {
      return null;
    }
    String problem = rule.problem(value);
    if (problem != null) {
      throw refused(name, problem);
    }
    return value;
  }

  private @Nullable String value(String name) {
    return values.contains(name) ? values.get(name) : null;
  }

  public boolean flag(String name, boolean absent) {
    String value = value(name);
    if (value == null) {
      return absent;
    }
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default -> throw refused(name, "must be true or false");
    };
  }

  /** A whole number, or what holds if it is absent. */
  public int number(String name, int absent, int min, int max) {
    String value = value(name);
    if (value == null || value.isEmpty()) {
      return absent;
    }
    boolean digits = value.length() <= 9 && value.chars().allMatch(c -> c >= '0' && c <= '9');
    int number = digits ? Integer.parseInt(value) : -1;
    if (number < min || number > max) {
      throw refused(name, "must be a whole number from " + min + " to " + max);
    }
    return number;
  }

  public InvalidFields wrong(String name, String msg) {
    return refused(name, msg);
  }

  @Nullable
  public Integer oneOf(String name, List<Integer> allowed) {
    String value = value(name);
    if (value == null) {
      return null;
    }
    for (Integer candidate : allowed) {
      if (candidate.toString().equals(value)) {
        return candidate;
      }
    }
    throw refused(name, "must be one of " + allowed);
  }

  @Nullable
  public String oneOfTexts(String name, List<String> allowed) {
    String value = value(name);
    if (value != null && !allowed.contains(value)) {
      throw refused(name, "must be one of " + String.join(", ", allowed));
    }
    return value;
  }

  @Nullable
  public Instant time(String name) {
    String value = value(name);
    if (value == null) {
      return null;
    }
    Long time = Times.parseRelaxed(value);
    if (time == null) {
      throw refused(name, "must be a time such as 2026-01-31T12:00:00Z");
    }
    return Instant.ofEpochMilli(time);
  }

  /** Event types, given once each or between commas; some clients add [] to the name. */
  public List<String> eventTypes() {
    List<String> names = new ArrayList<>();
    for (String name : List.of("event_types", "event_types[]")) {
      for (String value : values.contains(name) ? values.all(name) : List.<String>of()) {
        names.addAll(List.of(value.split(",")));
      }
    }
    if (names.size() > Limits.EVENT_TYPES_IN_QUERY) {
      throw refused("event_types", "may have at most " + Limits.EVENT_TYPES_IN_QUERY + " names");
    }
    for (String name : names) {
      String problem = Limits.EVENT_TYPE_RULE.problem(name);
      if (problem != null) {
        throw refused("event_types", problem);
      }
    }
    return names;
  }

  /** The page of a list whose order the caller may choose. */
  public <K> Keyset<K> page(Function<String, @Nullable K> key) {
    String order = value("order");
    return switch (order == null ? "ascending" : order) {
      case "ascending" -> page(key, true);
      case "descending" -> page(key, false);
      default -> throw refused("order", "must be ascending or descending");
    };
  }

  /** The same for a list that begins with its newest by default. */
  public <K> Keyset<K> pageNewestFirst(Function<String, @Nullable K> key) {
    String order = oneOfTexts("order", List.of("ascending", "descending"));
    return page(key, "ascending".equals(order));
  }

  public <K> Keyset<K> page(Function<String, @Nullable K> key, boolean ascending) {
    String iterator = value("iterator");
    if (iterator == null || iterator.isEmpty()) {
      return Keyset.first(limit(), ascending);
    }
    boolean backward = iterator.startsWith("-");
    boolean marked = backward || iterator.startsWith(Pages.FORWARD);
    K from = key.apply(marked ? iterator.substring(1) : iterator);
    if (from == null) {
      throw refused(
          "iterator",
          "is not a valid iterator; use the iterator or prevIterator of a previous response");
    }
    return new Keyset<>(limit(), from, backward, ascending);
  }

  private int limit() {
    String value = value("limit");
    if (value == null) {
      return Keyset.DEFAULT_LIMIT;
    }
    boolean number =
        !value.isEmpty()
            && value.length() <= 9
            && value.chars().allMatch(c -> c >= '0' && c <= '9');
    int limit = number ? Integer.parseInt(value) : 0;
    if (limit < 1 || limit > Keyset.MAX_LIMIT) {
      throw refused("limit", "must be a whole number from 1 to " + Keyset.MAX_LIMIT);
    }
    return limit;
  }

  private static InvalidFields refused(String name, String problem) {
    return new InvalidFields(Problem.inQuery(name, problem));
  }
}
