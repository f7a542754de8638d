package dev.postrider.cli.terminal;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Draws a run: one line for each step of its workflow, with its status and duration.
 *
 * @param title parts of the first line, such as the workflow and the status
 * @param steps in the order of the definition
 */
public record RunPicture(List<String> title, List<Step> steps) {
  private static final long SECOND = 1_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  public RunPicture {
    title = List.copyOf(title);
    steps = List.copyOf(steps);
  }

  /**
   * A step.
   *
   * @param depth of the lists around it
   * @param status as the API has it; null if it did not begin
   * @param durationMs null if it did not begin
   * @param attempts of its request; 0 for none
   * @param notes such as what follows, or when it expires
   */
  public record Step(
      int depth,
      String name,
      String type,
      @Nullable String status,
      @Nullable Long durationMs,
      int attempts,
      List<String> notes) {
    public Step {
      notes = List.copyOf(notes);
    }
  }

  /** What a terminal can show. */
  public record Style(boolean color, boolean unicode) {
    public static final Style PLAIN = new Style(false, false);

    /**
     * The style for this terminal.
     *
     * @param interactive whether a person reads the output
     * @param charset of the output
     */
    public static Style of(boolean interactive, Charset charset, Map<String, String> environment) {
      String noColor = environment.getOrDefault("NO_COLOR", "");
      return new Style(interactive && noColor.isEmpty(), charset.name().equals("UTF-8"));
    }
  }

  /** The picture as lines. */
  public List<String> lines(Style style) {
    List<List<String>> cells = new ArrayList<>();
    for (Step step : steps) {
      cells.add(cells(step, style));
    }
    int[] widths = new int[4];
    for (List<String> row : cells) {
      for (int n = 0; n < widths.length; n++) {
        widths[n] = Math.max(widths[n], row.get(n).length());
      }
    }
    List<String> lines = new ArrayList<>();
    lines.add(String.join(style.unicode() ? " · " : " - ", title));
    for (int i = 0; i < cells.size(); i++) {
      lines.add(line(steps.get(i), cells.get(i), widths, style));
    }
    return lines;
  }

  private static List<String> cells(Step step, Style style) {
    List<String> rest = new ArrayList<>();
    if (step.attempts() > 0) {
      rest.add(step.attempts() == 1 ? "1 attempt" : step.attempts() + " attempts");
    }
    for (String note : step.notes()) {
      rest.add(style.unicode() ? note : note.replace("→", "->"));
    }
    return List.of(
        "  ".repeat(step.depth()) + step.name(),
        step.type(),
        step.status() == null ? "" : step.status(),
        step.durationMs() == null ? "" : duration(step.durationMs()),
        String.join("  ", rest));
  }

  private static String line(Step step, List<String> cells, int[] widths, Style style) {
    StringBuilder line = new StringBuilder();
    String mark = mark(step.status(), style.unicode());
    line.append(style.color() ? colored(step.status(), mark) : mark).append(' ');
    for (int n = 0; n < widths.length; n++) {
      line.append(cells.get(n)).repeat(' ', widths[n] - cells.get(n).length() + 2);
    }
    return line.append(cells.getLast()).toString().stripTrailing();
  }

  private static String mark(@Nullable String status, boolean unicode) {
    return switch (status == null ? "" : status) {
      case "completed" -> unicode ? "✔" : "+";
      case "failed", "timed_out" -> unicode ? "✘" : "x";
      case "waiting" -> unicode ? "◷" : "~";
      case "scheduled", "running" -> unicode ? "▶" : ">";
      case "canceled", "skipped" -> unicode ? "⊘" : "/";
      default -> unicode ? "○" : ".";
    };
  }

  private static String colored(@Nullable String status, String mark) {
    int color =
        switch (status == null ? "" : status) {
          case "completed" -> 32;
          case "failed", "timed_out" -> 31;
          case "waiting", "scheduled", "running" -> 33;
          default -> 90;
        };
    return "\u001b[" + color + "m" + mark + "\u001b[0m";
  }

  /** A duration with its two largest units, such as {@code 12 m 4 s}. */
  public static String duration(long millis) {
    if (millis < SECOND) {
      return millis + " ms";
    }
    if (millis < MINUTE) {
      return millis < 10 * SECOND && millis % SECOND >= 100
          ? "%d.%d s".formatted(millis / SECOND, millis % SECOND / 100)
          : millis / SECOND + " s";
    }
    if (millis < HOUR) {
      return two(millis, MINUTE, "m", SECOND, "s");
    }
    return millis < DAY ? two(millis, HOUR, "h", MINUTE, "m") : two(millis, DAY, "d", HOUR, "h");
  }

  private static String two(long millis, long unit, String name, long smaller, String smallerName) {
    long rest = millis % unit / smaller;
    String first = millis / unit + " " + name;
    return rest == 0 ? first : first + " " + rest + " " + smallerName;
  }
}
