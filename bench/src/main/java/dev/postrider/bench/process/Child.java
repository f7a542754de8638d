package dev.postrider.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A child JVM that responds to each command line with one line of JSON; this class is used by the
 * parent process.
 */
public final class Child implements AutoCloseable {
  private static final long STOP_SECONDS = 10;
  private static final int LAST_LINES = 12;

  private final String name;
  private final Process process;
  private final Writer commands;
  private final BufferedReader answers;
  private final Path errors;

  private Child(String name, Process process, Path errors) {
    this.name = name;
    this.process = process;
    this.errors = errors;
    this.commands = process.outputWriter(StandardCharsets.UTF_8);
    this.answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts a process whose standard error goes to a file in {@code folder}. */
  public static Child start(String name, List<String> command, Path folder) {
    Path errors = folder.resolve(name + ".err");
    try {
      Process process =
          new ProcessBuilder(command).redirectError(Redirect.appendTo(errors.toFile())).start();
      return new Child(name, process, errors);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start the " + name, e);
    }
  }

  public long pid() {
    return process.pid();
  }

  public synchronized <T> T ask(String command, Class<T> type) {
    try {
      commands.write(command + "\n");
      commands.flush();
      String answer = answers.readLine();
      if (answer == null) {
        throw new IllegalStateException(
            "the " + name + " process has exited; the last lines of its log:\n" + tail());
      }
      return BenchJson.parse(answer, type);
    } catch (IOException e) {
      throw new IllegalStateException(
          "the " + name + " process does not respond; the last lines of its log:\n" + tail(), e);
    }
  }

  private String tail() {
    try {
      List<String> lines = Files.readAllLines(errors);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    } catch (IOException e) {
      return "(no log: " + e.getMessage() + ")";
    }
  }

  public <T> T ask(String command, Object argument, Class<T> type) {
    return ask(command + " " + BenchJson.line(argument), type);
  }

  public void send(String command) {
    ask(command, ControlLoop.Done.class);
  }

  @Override
  public void close() {
    try {
      commands.close();
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
