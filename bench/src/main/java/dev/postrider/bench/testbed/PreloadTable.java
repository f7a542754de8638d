package dev.postrider.bench.testbed;

/**
 * A table that contains a row for each delivered message, and the columns that {@link Preload}
 * fills.
 */
record PreloadTable(String name, String columns) {
  String in(Storage storage) {
    return storage == Storage.POSTGRES ? "postrider." + name : name;
  }

  int width() {
    return columns.split(",", -1).length;
  }
}
