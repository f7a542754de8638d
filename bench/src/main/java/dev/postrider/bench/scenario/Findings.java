package dev.postrider.bench.scenario;

import dev.postrider.bench.report.Curve;
import dev.postrider.bench.report.Figure;
import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.ScenarioResult;
import dev.postrider.bench.report.Window;
import dev.postrider.bench.testbed.Sizes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the results of a scenario while it runs. */
final class Findings {
  private final List<Figure> figures = new ArrayList<>();
  private final List<Window> windows = new ArrayList<>();
  private final List<Curve> curves = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  Window add(Window window) {
    windows.add(window);
    return window;
  }

  void figure(String name, double value, String unit) {
    figures.add(Figure.of(name, value, unit));
  }

  void figure(String name, double value, String unit, @Nullable Goal goal) {
    figures.add(
        goal == null ? Figure.of(name, value, unit) : Figure.against(name, value, unit, goal));
  }

  void sizes(Sizes sizes) {
    figure("stored per message", sizes.bytesPerMessage(), "bytes");
    note(sizes.text());
  }

  void curve(Curve curve) {
    curves.add(curve);
  }

  void note(String text) {
    notes.add(text);
  }

  void problems(List<String> more) {
    problems.addAll(more);
  }

  ScenarioResult result(String scenario, String database, String title) {
    return new ScenarioResult(
        scenario,
        database,
        title,
        List.copyOf(figures),
        List.copyOf(windows),
        List.copyOf(curves),
        List.copyOf(notes),
        List.copyOf(problems));
  }
}
