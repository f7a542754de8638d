package dev.postrider.bench.sink;

/** Counts requests since the last reset, by kind of response. */
final class ResponseCounts {
  long ok;
  long slow;
  long hang;
  long fail;

  void add(Answer answer) {
    switch (answer) {
      case OK -> ok++;
      case SLOW -> slow++;
      case HANG -> hang++;
      case FAIL -> fail++;
    }
  }

  void reset() {
    ok = 0;
    slow = 0;
    hang = 0;
    fail = 0;
  }
}
