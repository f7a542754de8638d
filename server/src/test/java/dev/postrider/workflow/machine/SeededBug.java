package dev.postrider.workflow.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a wrong machine or a wrong commit would do to a history. The judge must find each. */
enum SeededBug {
  /** The compare-and-set is missing: two instances both commit what follows from a result. */
  RESULT_COMMITTED_TWICE {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      return repeated(rows, row -> row.kind() == HistoryKind.STEP_COMPLETED);
    }
  },

  /** A join counts an item twice. */
  ITEM_JOINED_TWICE {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      return repeated(rows, row -> row.join() != null);
    }
  },

  /** A join does not wait for an item. */
  ITEM_MISSING {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      return without(rows, row -> row.join() != null);
    }
  },

  STEP_LOST {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      return without(
          rows,
          row -> row.kind() == HistoryKind.STEP_CANCELED || row.kind() == HistoryKind.STEP_FAILED);
    }
  },

  /** A step begins again after its result was committed. */
  STEP_BEGUN_AGAIN {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      for (int i = 0; i < rows.size() - 1; i++) {
        HistoryRow row = rows.get(i);
        if (row.kind().begins()
            && rows.get(i + 1).kind() == HistoryKind.STEP_COMPLETED
            && rows.get(i + 1).instance() == row.seq()) {
          List<HistoryRow> changed = new ArrayList<>(rows);
          changed.add(i + 2, row);
          changed.add(i + 3, rows.get(i + 1));
          return changed;
        }
      }
      return null;
    }
  },

  /** A step is skipped: the scope goes on with the one after it. */
  STEP_LEFT_OUT {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      for (HistoryRow row : rows) {
        if (row.kind() == HistoryKind.STEP_COMPLETED && row.next() != null) {
          List<HistoryRow> changed = new ArrayList<>(rows);
          changed.removeIf(each -> each.instance() == row.instance());
          return changed;
        }
      }
      return null;
    }
  },

  TIMER_AFTER_RESULT {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      return repeated(rows, row -> row.kind() == HistoryKind.STEP_TIMED_OUT);
    }
  },

  /** The run ends although an answer of a step that was given up may still come. */
  ORPHAN_FORGOTTEN {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      return without(rows, row -> row.kind() == HistoryKind.LATE_ANSWER);
    }
  },

  UNDO_ASCENDING {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      List<HistoryRow> handlers = handlers(rows);
      for (int i = 1; i < handlers.size(); i++) {
        HistoryRow first = handlers.get(i - 1);
        HistoryRow second = handlers.get(i);
        if (undoes(second) < undoes(first)) {
          List<HistoryRow> changed = new ArrayList<>(rows);
          List<HistoryRow> moved = new ArrayList<>();
          rows.forEach(
              row -> {
                if (row.instance() == first.seq()) {
                  moved.add(row);
                }
              });
          changed.removeAll(moved);
          int after = 0;
          for (int at = 0; at < changed.size(); at++) {
            after = changed.get(at).instance() == second.seq() ? at + 1 : after;
          }
          changed.addAll(after, moved);
          return changed;
        }
      }
      return null;
    }
  },

  UNDO_LEFT_OUT {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      List<HistoryRow> handlers = handlers(rows);
      if (handlers.isEmpty()) {
        return null;
      }
      List<HistoryRow> changed = new ArrayList<>(rows);
      changed.removeIf(row -> row.instance() == handlers.getLast().seq());
      return changed;
    }
  },

  UNDONE_TWICE {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      List<HistoryRow> handlers = handlers(rows);
      return handlers.isEmpty() ? null : repeated(rows, row -> row == handlers.getLast());
    }
  },

  COMPENSATION_WHILE_IN_FLIGHT {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      List<HistoryRow> handlers = handlers(rows);
      for (HistoryRow row : rows) {
        if (row.kind() == HistoryKind.LATE_ANSWER
            && !handlers.isEmpty()
            && row.seq() < handlers.getFirst().seq()
            && row.undo() == null) {
          List<HistoryRow> changed = new ArrayList<>(rows);
          changed.remove(row);
          changed.add(changed.indexOf(handlers.getFirst()) + 1, row);
          return changed;
        }
      }
      return null;
    }
  },

  FINALLY_LEFT_OUT {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      for (HistoryRow row : rows) {
        if (row.info().has(RowInfo.Detail.FINALLY)) {
          List<HistoryRow> changed = new ArrayList<>(rows);
          changed.removeIf(each -> each.instance() == row.seq());
          return changed;
        }
      }
      return null;
    }
  },

  ROW_AFTER_THE_END {
    @Override
    @Nullable List<HistoryRow> applied(List<HistoryRow> rows) {
      HistoryRow last = rows.getLast();
      HistoryRow before = rows.get(rows.size() - 2);
      List<HistoryRow> changed = new ArrayList<>(rows.subList(0, rows.size() - 2));
      changed.add(last);
      changed.add(before);
      return changed;
    }
  };

  /** The wrong history; null if this one has no place for the bug. */
  abstract @Nullable List<HistoryRow> applied(List<HistoryRow> rows);

  private static @Nullable List<HistoryRow> repeated(
      List<HistoryRow> rows, Predicate<HistoryRow> which) {
    for (int i = 0; i < rows.size(); i++) {
      if (which.test(rows.get(i))) {
        List<HistoryRow> changed = new ArrayList<>(rows);
        changed.add(i + 1, rows.get(i));
        return changed;
      }
    }
    return null;
  }

  private static @Nullable List<HistoryRow> without(
      List<HistoryRow> rows, Predicate<HistoryRow> which) {
    for (int i = 0; i < rows.size(); i++) {
      if (which.test(rows.get(i))) {
        List<HistoryRow> changed = new ArrayList<>(rows);
        changed.remove(i);
        return changed;
      }
    }
    return null;
  }

  private static List<HistoryRow> handlers(List<HistoryRow> rows) {
    return rows.stream().filter(row -> row.info().has(RowInfo.Detail.UNDOES)).toList();
  }

  private static int undoes(HistoryRow row) {
    Integer seq = row.info().number(RowInfo.Detail.UNDOES);
    return seq == null ? 0 : seq;
  }
}
