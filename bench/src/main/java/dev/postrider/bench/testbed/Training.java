package dev.postrider.bench.testbed;

import dev.postrider.bench.process.Jvm;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * AOT caches of the tested servers, made as the launcher and the release archive make theirs: by
 * the server's own training run, with the flags that it is started with, on SQLite and PostgreSQL.
 */
final class Training {
  private static final String CACHE_FLAG = "-XX:AOTCache=";
  private static final long LIMIT_SECONDS = 300;

  private final Testbed testbed;
  private final Map<ServerSpec, Path> caches = new LinkedHashMap<>();

  Training(Testbed testbed) {
    this.testbed = testbed;
  }

  /** The server with its cache; one with a cache in its flags stays as it is. */
  ServerSpec trained(ServerSpec spec) {
    if (spec.jvmFlags().stream().anyMatch(flag -> flag.startsWith(CACHE_FLAG))) {
      return spec;
    }
    Path cache = caches.computeIfAbsent(spec, this::train);
    return spec.withFlags(List.of(CACHE_FLAG + cache, "-Xlog:aot*=error"));
  }

  private Path train(ServerSpec spec) {
    Path cache = testbed.folder().resolve("server-" + caches.size() + ".aot");
    testbed.progress().step("training the AOT cache of " + spec.jar());
    ProcessBuilder builder =
        new ProcessBuilder(
            Jvm.jar(
                spec.withFlags(List.of("-XX:AOTCacheOutput=" + cache)).jvmFlags(),
                spec.jar(),
                List.of("warm-up")));
    builder.environment().keySet().removeIf(name -> name.startsWith("POSTRIDER_"));
    builder
        .environment()
        .put("POSTRIDER_TRAINING_DATABASE_URL", testbed.postgres().url().setting());
    Path log = testbed.folder().resolve("training.log");
    try {
      Process process =
          builder.redirectErrorStream(true).redirectOutput(Redirect.appendTo(log.toFile())).start();
      process.getOutputStream().close();
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      if (process.waitFor() != 0 || !Files.exists(cache)) {
        testbed.keepLogs();
        throw new BenchFailure("the training run for the AOT cache failed; see " + log);
      }
    } catch (IOException e) {
      throw new BenchFailure("cannot start the training run for the AOT cache", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchFailure("interrupted during the training run for the AOT cache", e);
    }
    return cache;
  }
}
