package dev.postrider.workflow.definition;

import static dev.postrider.workflow.definition.StepFields.*;

import dev.postrider.field.Field;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which field belongs to which type of steps. */
public final class StepRules {
  private static final List<Field<?>> ALWAYS = List.of(NAME, TYPE, DESCRIPTION);
  private static final List<Field<?>> FLOW = List.of(NEXT, END);
  private static final List<Field<?>> DATA = List.of(INPUT, RESULT_PATH, OUTPUT, ON_FAILURE, CATCH);

  private static final List<Field<?>> REQUEST =
      List.of(
          URL,
          METHOD,
          HEADERS,
          BODY,
          SIGNING,
          SIGNING_SECRET,
          REQUEST_TIMEOUT,
          THROTTLE,
          THROTTLE_BURST,
          THROTTLE_PERIOD,
          MAX_IN_FLIGHT,
          RETRY);

  /** Those that a request has; they mean nothing without its URL. */
  static final List<Field<?>> OF_REQUEST =
      REQUEST.stream().filter(field -> field != URL && field != RETRY).toList();

  private StepRules() {}

  /** The fields without which a step of this type does nothing. */
  public static List<Field<?>> required(StepType type) {
    return switch (type) {
      case HTTP -> List.of(URL);
      case CHOICE -> List.of(CHOICES);
      case PARALLEL -> List.of(BRANCHES);
      case MAP -> List.of(ITEMS, STEPS);
      case WAIT, CALLBACK, SUCCEED -> List.of();
      case WORKFLOW -> List.of(WORKFLOW);
      case SEND -> List.of(APPLICATION, EVENT_TYPE);
      case TRANSFORM -> List.of(EXPRESSION);
      case FAIL -> List.of(ERROR);
    };
  }

  /** All fields of this type, in the order of {@link StepFields#ALL}. */
  public static Set<Field<?>> of(StepType type) {
    Set<Field<?>> fields =
        Stream.of(ALWAYS, required(type), own(type))
            .flatMap(List::stream)
            .collect(Collectors.toSet());
    return ALL.stream()
        .filter(fields::contains)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** The types that have this field. */
  public static List<StepType> with(Field<?> field) {
    return Stream.of(StepType.values()).filter(type -> of(type).contains(field)).toList();
  }

  private static List<Field<?>> own(StepType type) {
    return switch (type) {
      case HTTP -> join(FLOW, DATA, REQUEST, List.of(TIMEOUT, COMPENSATE));
      case CHOICE -> List.of(DEFAULT);
      case PARALLEL -> join(FLOW, DATA, List.of(TIMEOUT));
      case MAP -> join(FLOW, DATA, List.of(TIMEOUT, CONCURRENCY, ON_ITEM_FAILURE));
      case WAIT -> join(FLOW, DATA, List.of(DURATION, TIMESTAMP, EXPRESSION));
      case CALLBACK -> join(FLOW, DATA, REQUEST, List.of(TIMEOUT, COMPENSATE));
      case WORKFLOW -> join(FLOW, DATA, List.of(TIMEOUT, RETRY, COMPENSATE));
      case SEND -> join(FLOW, DATA, List.of(EVENT_ID, PAYLOAD, CHANNELS, TAGS, COMPENSATE));
      case TRANSFORM -> join(FLOW, DATA);
      case FAIL -> List.of(MESSAGE);
      case SUCCEED -> List.of(OUTPUT);
    };
  }

  @SafeVarargs
  private static List<Field<?>> join(List<Field<?>>... parts) {
    List<Field<?>> all = new ArrayList<>();
    for (List<Field<?>> part : parts) {
      all.addAll(part);
    }
    return all;
  }
}
