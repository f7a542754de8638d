package dev.postrider.bench;

import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.BenchOptions;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads and validates the options of {@code postrider bench}. */
public final class BenchArguments {
  /** The sink's addresses are 127.0.0.1 and up; 127.0.0.250 must stay free to refuse. */
  private static final int MAX_HOSTS = 200;

  private static final int MIN_PAYLOAD = 64;

  private BenchArguments() {}

  /** {@code A=…,B=…}: a capital letter begins each variant, so that settings may hold commas. */
  static Map<String, String> variants(@Nullable String text) {
    Map<String, String> variants = new LinkedHashMap<>();
    if (text == null) {
      return variants;
    }
    for (String part : text.split(",(?=[A-Z]=)", -1)) {
      if (!part.matches("(?s)[A-Z]=.*")) {
        throw new BenchFailure("--variant: write A=…,B=…, not '" + text + "'");
      }
      variants.put(part.substring(0, 1), part.substring(2));
    }
    if (variants.size() < 2) {
      throw new BenchFailure("--variant: give at least two variants to compare, such as A=…,B=…");
    }
    return variants;
  }

  /** This JVM's own flags unless others are given: the launcher starts the server with the same. */
  public static List<String> flags(@Nullable String text) {
    if (text == null) {
      return List.copyOf(ManagementFactory.getRuntimeMXBean().getInputArguments());
    }
    return Arrays.stream(text.trim().split("\\s+", -1)).filter(word -> !word.isEmpty()).toList();
  }

  /** The server of the same checkout, wherever this was started from. */
  public static Path defaultJar() {
    Path fallback = Path.of("server", "target", "postrider.jar");
    try {
      Path self =
          Path.of(BenchArguments.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path built = self.resolve("../../../server/target/postrider.jar").normalize();
      return Files.exists(built) ? built : fallback;
    } catch (URISyntaxException e) {
      return fallback;
    }
  }

  static void check(BenchOptions options) {
    atLeast("--warm-up", options.warmUpSeconds(), 0);
    atLeast("--window", options.windowSeconds(), 1);
    atLeast("--connections", options.connections(), 1);
    atLeast("--applications", options.applications(), 1);
    atLeast("--hosts", options.hosts(), 1);
    atLeast("--payload", options.payloadBytes(), MIN_PAYLOAD);
    atLeast("--rounds", options.rounds(), 1);
    if (options.hosts() > MAX_HOSTS) {
      throw new BenchFailure("--hosts must be at most " + MAX_HOSTS);
    }
    if (!Files.isDirectory(Path.of("/proc/self"))) {
      throw new BenchFailure(
          "the benchmark needs Linux, because it reads CPU and memory from /proc");
    }
  }

  private static void atLeast(String option, long value, long least) {
    if (value < least) {
      throw new BenchFailure(option + " must be at least " + least + ", not " + value);
    }
  }
}
