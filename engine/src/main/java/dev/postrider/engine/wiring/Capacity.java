package dev.postrider.engine.wiring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The number of deliveries that one instance can lease at the same time: the configured number,
 * lowered to what the heap and the limit of open files allow.
 *
 * @param places the number
 * @param why the limiting resource, for the log
 */
record Capacity(int places, String why) {
  /**
   * An attempt that waits for its response: a virtual thread, a connection with its buffers, the
   * rest.
   */
  static final int HEAP_PER_PLACE = 32 * 1024;

  /** Descriptors reserved for callers, the database and the log. */
  private static final int OTHER_FILES = 256;

  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final Pattern OPEN_FILES = Pattern.compile("(?m)^Max open files +(\\d+) ");

  static Capacity of(int configured) {
    return of(configured, Runtime.getRuntime().maxMemory(), openFiles());
  }

  static Capacity of(int configured, long heapBytes, long openFiles) {
    long byHeap = Math.max(1, heapBytes / HEAP_PER_PLACE);
    long byFiles = Math.max(1, openFiles - Math.max(OTHER_FILES, openFiles / 4));
    if (configured <= byHeap && configured <= byFiles) {
      return new Capacity(configured, "as configured");
    }
    return byHeap <= byFiles
        ? new Capacity(
            (int) byHeap,
            "lowered from %d because the heap has only %d MB; give the JVM more memory (-Xmx)"
                .formatted(configured, heapBytes >> 20))
        : new Capacity(
            (int) byFiles,
            "lowered from %d because only %d open files are allowed; raise the limit (ulimit -n)"
                .formatted(configured, openFiles));
  }

  /** Without the management beans, which take a tenth of the start time to load. */
  private static long openFiles() {
    try {
      Matcher limit = OPEN_FILES.matcher(Files.readString(LIMITS));
      return limit.find() ? Long.parseLong(limit.group(1)) : Long.MAX_VALUE;
    } catch (IOException | NumberFormatException e) {
      return Long.MAX_VALUE; // not Linux, or no limit
    }
  }
}
