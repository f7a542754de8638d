package dev.postrider.cli.terminal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A text table: rows under a header, each column as wide as needed. */
public final class Columns {
  private final List<List<String>> rows = new ArrayList<>();

  public Columns(String... head) {
    rows.add(List.of(head));
  }

  public void add(String... row) {
    rows.add(List.of(row));
  }

  public boolean isEmpty() {
    return rows.size() == 1;
  }

  public void print(PrintWriter out) {
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int n = 0; n < row.size(); n++) {
        widths[n] = Math.max(widths[n], row.get(n).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int n = 0; n < row.size(); n++) {
        line.append(row.get(n)).repeat(' ', widths[n] - row.get(n).length() + 2);
      }
      out.println(line.toString().stripTrailing());
    }
  }
}
