package dev.postrider.bench.testbed;

import dev.postrider.bench.process.Jvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The server to start: a jar, JVM flags, and settings in addition to those of the benchmark. */
public record ServerSpec(Path jar, List<String> jvmFlags, Map<String, String> settings) {

  private static final String CACHE_FLAG = "-XX:AOTCache=";

  /** A file that is not there: the server starts without an AOT cache. */
  private static final String NO_CACHE = "none";

  /**
   * The JVM flags with the AOT cache that the launcher would use: one next to the jar and no older
   * than it, unless they name one.
   */
  public List<String> startFlags() {
    Path cache = jar.resolveSibling(jar.getFileName().toString().replaceAll("\\.jar$", ".aot"));
    boolean hasCache = jvmFlags.stream().anyMatch(flag -> flag.startsWith(CACHE_FLAG));
    if (jvmFlags.contains(CACHE_FLAG + NO_CACHE)) {
      return jvmFlags.stream().filter(flag -> !flag.startsWith(CACHE_FLAG)).toList();
    }
    if (hasCache
        || !Files.exists(cache)
        || cache.toFile().lastModified() < jar.toFile().lastModified()) {
      return jvmFlags;
    }
    List<String> flags = new ArrayList<>(jvmFlags);
    flags.add(CACHE_FLAG + cache);
    return flags;
  }

  /**
   * This server changed as a variant says: items separated by {@code ;}, each a jar, a JVM flag
   * ({@code -XX:…}) or a setting ({@code POSTRIDER_X=value}).
   */
  public ServerSpec with(String variant) {
    Path changedJar = jar;
    List<String> flags = new ArrayList<>(jvmFlags);
    Map<String, String> changed = new LinkedHashMap<>(settings);
    for (String item : variant.split(";", -1)) {
      int equals = item.indexOf('=');
      if (item.startsWith("-")) {
        flags.add(item);
      } else if (item.endsWith(".jar")) {
        changedJar = Path.of(item);
      } else if (equals > 0) {
        changed.put(item.substring(0, equals), item.substring(equals + 1));
      } else if (!item.isBlank()) {
        throw new BenchFailure(
            "--variant: '" + item + "' is neither a jar, nor a JVM flag, nor SETTING=value");
      }
    }
    return new ServerSpec(changedJar, List.copyOf(flags), changed);
  }

  /** This server without an AOT cache, even if there is one next to the jar. */
  public ServerSpec withoutCache() {
    return withFlags(List.of(CACHE_FLAG + NO_CACHE));
  }

  public ServerSpec withFlags(List<String> more) {
    List<String> flags = new ArrayList<>(jvmFlags);
    flags.addAll(more);
    return new ServerSpec(jar, List.copyOf(flags), settings);
  }

  /** With more settings. Those that this version of the server does not have are left out. */
  public ServerSpec withSettings(Map<String, String> more) {
    Map<String, String> changed = new LinkedHashMap<>(settings);
    String known = knownSettings();
    more.forEach(
        (name, value) -> {
          if (known.contains(name)) {
            changed.put(name, value);
          }
        });
    return new ServerSpec(jar, jvmFlags, changed);
  }

  private String knownSettings() {
    ProcessBuilder help =
        new ProcessBuilder(Jvm.jar(List.of(), jar, List.of("help", "config", "--markdown")));
    try {
      return new String(help.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new BenchFailure("cannot read the settings of " + jar, e);
    }
  }
}
