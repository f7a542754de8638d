package dev.postrider.bench.process;

import tools.jackson.databind.json.JsonMapper;

/** The JSON mapper for the communication with child processes and for the report. */
public final class BenchJson {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private BenchJson() {}

  public static String line(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  public static String pretty(Object value) {
    return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value);
  }

  public static <T> T parse(String text, Class<T> type) {
    return MAPPER.readValue(text, type);
  }
}
