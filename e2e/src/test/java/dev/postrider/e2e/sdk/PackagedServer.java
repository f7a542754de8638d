package dev.postrider.e2e.sdk;

import dev.postrider.options.DatabaseOptions;
import dev.postrider.testkit.Databases;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The packaged jar as a process with a database of its own. */
final class PackagedServer implements AutoCloseable {
  /** The key of the default environment, which may create others. */
  static final String KEY = "sk_test_the-key-of-the-sdk-tests";

  private static final String READY = "Postrider is ready at ";

  /** A little more than the 20 s that stopping may take. */
  private static final long STOP_SECONDS = 30;

  private final Process process;
  private final Path folder;
  private final URI url;

  private PackagedServer(Process process, Path folder, URI url) {
    this.process = process;
    this.folder = folder;
    this.url = url;
  }

  static PackagedServer start(Databases.Kind kind) {
    try {
      Path folder = Files.createTempDirectory("postrider-sdk-");
      File errors = folder.resolve("errors").toFile();
      ProcessBuilder builder =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-Xmx256m",
                  "-jar",
                  System.getProperty("postrider.jar"),
                  "serve")
              .redirectError(errors);
      builder.environment().keySet().removeIf(name -> name.startsWith("POSTRIDER_"));
      builder.environment().putAll(settings(kind, folder));
      Process process = builder.start();
      try {
        return new PackagedServer(process, folder, ready(process, errors));
      } catch (IOException | RuntimeException e) {
        process.destroyForcibly();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, String> settings(Databases.Kind kind, Path folder) {
    Map<String, String> settings = new HashMap<>();
    settings.put("POSTRIDER_DATA_DIR", folder.resolve("data").toString());
    settings.put("POSTRIDER_PORT", "0");
    settings.put("POSTRIDER_API_KEY", KEY);
    settings.put("POSTRIDER_ALLOW_TARGETS", "127.0.0.0/8");
    settings.put("POSTRIDER_SQLITE_SYNCHRONOUS", "normal");
    if (kind == Databases.Kind.POSTGRES) {
      DatabaseOptions.Postgres server = Databases.settings(Databases.freshSchema());
      settings.put(
          "POSTRIDER_DATABASE_URL",
          server.jdbcUrl().replace("jdbc:postgresql://", "postgres://postgres@"));
      settings.put("POSTRIDER_DATABASE_SCHEMA", server.schema());
      settings.put("POSTRIDER_DATABASE_POOL_SIZE", "4");
    }
    return settings;
  }

  /** Waits for the line that names the address; the lines after it are read and dropped. */
  private static URI ready(Process process, File errors) throws IOException {
    BufferedReader output = process.inputReader();
    String line = output.readLine();
    while (line != null && !line.startsWith(READY)) {
      line = output.readLine();
    }
    if (line == null) {
      throw new IOException("the server did not start:\n" + Files.readString(errors.toPath()));
    }
    Thread.ofVirtual().start(() -> drain(output));
    return URI.create(line.substring(READY.length()).strip());
  }

  private static void drain(Reader output) {
    try {
      output.transferTo(Writer.nullWriter());
    } catch (IOException e) {
      // closed with the process
    }
  }

  /** An environment that only the caller works in. */
  SdkEnvironment environment() {
    return SdkEnvironment.create(url);
  }

  @Override
  public void close() {
    try {
      process.destroy();
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      List<Path> files;
      try (Stream<Path> found = Files.walk(folder)) {
        files = found.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path file : files) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
