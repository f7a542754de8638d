package dev.postrider.bench.rig;

/**
 * A table that contains a row for each delivered message, and the columns that {@link Stock} fills.
 */
record StockTable(String name, String columns) {
  String in(Storage storage) {
    return storage == Storage.POSTGRES ? "postrider." + name : name;
  }

  int width() {
    return columns.split(",", -1).length;
  }
}
