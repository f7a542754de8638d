package dev.postrider.cli.terminal;

import tools.jackson.databind.json.JsonMapper;

/** Output for programs: one JSON value per line. */
public final class JsonOutput {
  private JsonOutput() {}

  public static String write(Object value) {
    // Created here, not in a field: most commands never need it, and it is slow to load.
    return JsonMapper.builder().build().writeValueAsString(value);
  }
}
