package dev.postrider.bench.rig;

/** One table that a finished message leaves a row in, and the columns that are not null then. */
record StockTable(String name, String columns) {
  String in(Storage storage) {
    return storage == Storage.POSTGRES ? "postrider." + name : name;
  }

  int width() {
    return columns.split(",", -1).length;
  }
}
