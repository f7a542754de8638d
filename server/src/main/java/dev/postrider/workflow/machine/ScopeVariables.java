package dev.postrider.workflow.machine;

import dev.postrider.expression.Expressions;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.machine.RunState.Past;
import dev.postrider.workflow.machine.RunState.Role;
import dev.postrider.workflow.machine.RunState.Scope;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The variables of expressions in a scope. Only those that an expression reads are loaded. */
final class ScopeVariables implements Facts.Variables {
  private final Work work;
  private final Scope scope;
  private final @Nullable JsonValue result;

  ScopeVariables(Work work, Scope scope, @Nullable JsonValue result) {
    this.work = work;
    this.scope = scope;
    this.result = result;
  }

  @Override
  public Map<String, @Nullable Object> of(Expressions.Names names) {
    Map<String, @Nullable Object> values = new HashMap<>();
    for (String name : names.variables()) {
      switch (name) {
        case "input" -> values.put(name, input());
        case "run" -> values.put(name, work.runVariable());
        case "message" -> values.put(name, plain(work.facts.run().message()));
        case "steps" -> values.put(name, steps(names));
        case "item" -> values.put(name, item());
        case "index" -> values.put(name, index());
        case "error" -> values.put(name, error());
        case "result" -> values.put(name, plain(result));
        default -> {} // not defined: as in JSONata, it has no value
      }
    }
    return values;
  }

  private static @Nullable Object plain(@Nullable JsonValue value) {
    return value == null ? null : value.plain();
  }

  private @Nullable Object input() {
    return work.fold.head().seq() == 0 ? null : work.value(ValueRef.value(1)).plain();
  }

  private @Nullable Object error() {
    Integer seq = scope.errorSeq();
    return seq == null ? null : work.value(ValueRef.value(seq)).plain();
  }

  private @Nullable Object item() {
    Scope around = itemScope();
    return around == null ? null : work.value(ValueRef.item(around.key(), around.item())).plain();
  }

  private @Nullable Object index() {
    Scope around = itemScope();
    return around == null ? null : around.item();
  }

  private @Nullable Scope itemScope() {
    for (Scope each = scope; each != null; each = outer(each)) {
      if (each.role() == Role.ITEM) {
        return each;
      }
    }
    return null;
  }

  private @Nullable Scope outer(Scope inner) {
    return inner.outer() < 0 ? null : work.fold.scopes().get(inner.outer());
  }

  /** Names are unique in a workflow: those of this scope and of scopes around it. */
  private Map<String, Object> steps(Expressions.Names names) {
    Map<String, Object> steps = new LinkedHashMap<>();
    for (Scope each = scope; each != null; each = outer(each)) {
      each.past()
          .forEach(
              (number, past) -> {
                Step step = work.definition.step(number);
                if (names.allSteps() || names.steps().contains(step.name())) {
                  steps.putIfAbsent(step.name(), past(past));
                }
              });
    }
    return steps;
  }

  private Map<String, @Nullable Object> past(Past past) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    values.put("visits", past.visits());
    if (past.ended() > 0) {
      values.put(
          past.failed() ? "error" : "result", work.value(ValueRef.value(past.ended())).plain());
    }
    return values;
  }
}
