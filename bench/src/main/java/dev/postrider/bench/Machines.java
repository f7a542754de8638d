package dev.postrider.bench;

import dev.postrider.bench.report.BenchReport.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Describes the machine on which the benchmark ran. */
final class Machines {
  private Machines() {}

  static Machine here() {
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        Long.parseLong(field("/proc/meminfo", "MemTotal").replaceAll("[^0-9]", "")) / 1024,
        field("/proc/cpuinfo", "model name"),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        Runtime.version().toString());
  }

  private static String field(String file, String name) {
    try (var lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse("0");
    } catch (IOException e) {
      return "0";
    }
  }
}
