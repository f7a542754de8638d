package dev.postrider.cli;

import tools.jackson.databind.json.JsonMapper;

/** Answers for programs: one JSON value per line. */
public final class JsonOutput {
  private JsonOutput() {}

  public static String write(Object value) {
    // Built here, not kept: most commands never need it, and it is slow to load.
    return JsonMapper.builder().build().writeValueAsString(value);
  }
}
