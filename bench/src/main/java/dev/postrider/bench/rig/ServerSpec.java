package dev.postrider.bench.rig;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What server to start: a jar, JVM flags and settings on top of the benchmark's own. */
public record ServerSpec(Path jar, List<String> jvmFlags, Map<String, String> settings) {

  /**
   * The JVM flags with the AOT cache that the launcher would use: one beside the jar and no older
   * than it.
   */
  public List<String> startFlags() {
    Path cache = jar.resolveSibling(jar.getFileName().toString().replaceAll("\\.jar$", ".aot"));
    if (!Files.exists(cache) || cache.toFile().lastModified() < jar.toFile().lastModified()) {
      return jvmFlags;
    }
    List<String> flags = new ArrayList<>(jvmFlags);
    flags.add("-XX:AOTCache=" + cache);
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

  public ServerSpec withSettings(Map<String, String> more) {
    Map<String, String> changed = new LinkedHashMap<>(settings);
    changed.putAll(more);
    return new ServerSpec(jar, jvmFlags, changed);
  }
}
