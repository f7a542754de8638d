package dev.postrider.bench.report;

import java.util.List;

/**
 * The result of one scenario on one database.
 *
 * @param problems what makes the figures worthless: counts that differ, errors, a run cut short
 */
public record ScenarioResult(
    String scenario,
    String database,
    String title,
    List<Figure> figures,
    List<Window> windows,
    List<Curve> curves,
    List<String> notes,
    List<String> problems) {}
