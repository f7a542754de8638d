package dev.postrider.workflow.definition;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The types of steps, as definitions spell them. */
public enum StepType {
  HTTP("http"),
  CHOICE("choice"),
  PARALLEL("parallel"),
  MAP("map"),
  WAIT("wait"),
  CALLBACK("callback"),
  WORKFLOW("workflow"),
  SEND("send"),
  TRANSFORM("transform"),
  FAIL("fail"),
  SUCCEED("succeed");

  private final String word;

  StepType(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }

  /** With its article, for messages. */
  String text() {
    return (this == HTTP ? "an " : "a ") + word;
  }

  /** Whether the list ends with a step of this type. */
  boolean endsItsList() {
    return this == FAIL || this == SUCCEED;
  }

  /** Whether a cycle through a step of this type can end. */
  boolean breaksCycles() {
    return this == CHOICE || this == WAIT || this == CALLBACK;
  }

  public static @Nullable StepType of(String word) {
    for (StepType type : values()) {
      if (type.word.equals(word)) {
        return type;
      }
    }
    return null;
  }

  public static List<String> words() {
    return Arrays.stream(values()).map(StepType::word).toList();
  }
}
