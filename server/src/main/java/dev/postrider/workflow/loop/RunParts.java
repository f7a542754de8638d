package dev.postrider.workflow.loop;

import dev.postrider.expression.Expressions;
import dev.postrider.id.Ids;
import dev.postrider.time.TimeSource;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.definition.Definition;
import dev.postrider.workflow.machine.Facts;
import dev.postrider.workflow.store.HistoryStore;
import java.util.List;
import java.util.function.Supplier;

/**
 * What the transitions of all runs use.
 *
 * @param publicUrl of this server, for callbacks, without a slash at its end
 */
record RunParts(
    Ids ids,
    TimeSource time,
    Expressions expressions,
    HistoryStore history,
    ValueCache values,
    Facts.Limits limits,
    Supplier<String> publicUrl,
    Publications publications,
    Schemas schemas) {

  /** Checks inputs against the JSON Schemas of parameters. */
  @FunctionalInterface
  interface Schemas {
    List<String> problems(Definition definition, JsonValue input);
  }
}
