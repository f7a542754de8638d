package dev.postrider.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The CPU times and memory of one process, read from /proc.
 *
 * @param ownTicks CPU of the process itself, user and system
 * @param reapedTicks CPU of its children that have ended
 */
public record ProcStat(long pid, long parent, long ownTicks, long reapedTicks) {
  /** Linux shows CPU time in hundredths of a second on every architecture that the JDK runs on. */
  public static final int TICKS_PER_SECOND = 100;

  private static final int PARENT = 1;
  private static final int USER = 11;

  /**
   * Parses a line of /proc/PID/stat; the command in parentheses may itself hold spaces and
   * parentheses.
   */
  public static ProcStat parse(String line) {
    int open = line.indexOf(' ');
    int close = line.lastIndexOf(')');
    if (open < 0 || close < open) {
      throw new IllegalArgumentException("not a line of /proc/PID/stat: " + line);
    }
    String[] fields = line.substring(close + 2).trim().split(" ", -1);
    return new ProcStat(
        Long.parseLong(line.substring(0, open)),
        Long.parseLong(fields[PARENT]),
        Long.parseLong(fields[USER]) + Long.parseLong(fields[USER + 1]),
        Long.parseLong(fields[USER + 2]) + Long.parseLong(fields[USER + 3]));
  }

  /** Empty when the process has ended. */
  public static Optional<ProcStat> read(long pid) {
    try {
      return Optional.of(parse(Files.readString(Path.of("/proc/" + pid + "/stat"))));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** CPU seconds of the process alone. */
  public static double ownSeconds(long pid) {
    return read(pid).map(stat -> (double) stat.ownTicks() / TICKS_PER_SECOND).orElse(0.0);
  }

  /** CPU seconds of the process, its living children and those that have ended. */
  public static double familySeconds(long pid) {
    double ended =
        read(pid)
            .map(stat -> (double) (stat.ownTicks() + stat.reapedTicks()) / TICKS_PER_SECOND)
            .orElse(0.0);
    return ended
        + ProcessHandle.of(pid).stream()
            .flatMap(ProcessHandle::children)
            .mapToDouble(child -> ownSeconds(child.pid()))
            .sum();
  }

  /** Resident memory in bytes; 0 when the process has ended. */
  public static long residentBytes(long pid) {
    try {
      return residentBytes(Files.readString(Path.of("/proc/" + pid + "/status")));
    } catch (IOException e) {
      return 0;
    }
  }

  /** How many files and sockets this process and its children may open. */
  public static long openFileLimit() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/limits"))) {
      return openFileLimit(lines);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read /proc/self/limits", e);
    }
  }

  /** The hard limit, since a JVM raises its soft limit to that. */
  static long openFileLimit(Stream<String> limits) {
    return limits
        .filter(line -> line.startsWith("Max open files"))
        .map(line -> line.trim().split("\\s+", -1)[4])
        .mapToLong(hard -> hard.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(hard))
        .findFirst()
        .orElse(Long.MAX_VALUE);
  }

  static long residentBytes(String status) {
    return status
        .lines()
        .filter(line -> line.startsWith("VmRSS:"))
        .map(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
        .findFirst()
        .orElse(0L);
  }
}
