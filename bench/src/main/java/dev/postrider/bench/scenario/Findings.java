package dev.postrider.bench.scenario;

import dev.postrider.bench.report.Figure;
import dev.postrider.bench.report.Goal;
import dev.postrider.bench.report.ScenarioResult;
import dev.postrider.bench.report.Window;
import java.util.ArrayList;
import java.util.List;

/** Gathers the result of a scenario while it runs. */
final class Findings {
  private final List<Figure> figures = new ArrayList<>();
  private final List<Window> windows = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  Window add(Window window) {
    windows.add(window);
    return window;
  }

  void figure(String name, double value, String unit) {
    figures.add(Figure.of(name, value, unit));
  }

  void figure(String name, double value, String unit, Goal goal) {
    figures.add(Figure.against(name, value, unit, goal));
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
        List.copyOf(notes),
        List.copyOf(problems));
  }
}
