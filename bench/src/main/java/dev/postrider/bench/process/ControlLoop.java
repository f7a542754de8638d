package dev.postrider.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Runs in a child process: reads lines {@code command [argument]} and responds to each with one
 * line of JSON, until the input ends.
 */
public final class ControlLoop {
  /** Does what a command says and returns what is answered. */
  @FunctionalInterface
  public interface Handler {
    Object handle(String command, String argument) throws IOException, InterruptedException;
  }

  /** The answer to a command that only does something. */
  public record Done(boolean ok) {
    public static final Done OK = new Done(true);
  }

  private ControlLoop() {}

  public static void run(InputStream in, PrintStream out, Handler handler)
      throws IOException, InterruptedException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    String line;
    while ((line = lines.readLine()) != null) {
      int space = line.indexOf(' ');
      String command = space < 0 ? line : line.substring(0, space);
      String argument = space < 0 ? "" : line.substring(space + 1);
      out.println(BenchJson.line(handler.handle(command, argument)));
      out.flush();
    }
  }
}
