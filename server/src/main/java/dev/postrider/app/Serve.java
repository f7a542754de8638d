package dev.postrider.app;

import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.terminal.UserError;
import dev.postrider.config.Config;
import dev.postrider.config.DatabaseUrl;
import dev.postrider.config.ServerConfig;
import dev.postrider.config.Settings;
import dev.postrider.engine.services.OfflineDatabase;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.StorageException;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/** {@code postrider serve}: starts, prints the URL and the next steps, and stops on a signal. */
public final class Serve {
  private Serve() {}

  /** Returns when the server has stopped. */
  public static int run(Config config, PrintStream out) {
    refuseTakenPort(config.server());
    App app = open(config);
    CountDownLatch stopped = new CountDownLatch(1);
    Thread hook = Thread.ofPlatform().name("stop").unstarted(() -> stop(app, out, stopped));
    Runtime.getRuntime().addShutdownHook(hook);
    start(app);
    SighupHandler.listen(app::reload);
    app.echo().showOn(text -> print(out, "\n" + text));
    print(out, welcome(app));
    try {
      stopped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ExitCode.OK;
  }

  /** Errors that an operator can fix are printed as one line, not as a stack trace. */
  private static App open(Config config) {
    try {
      return App.open(config);
    } catch (StorageException
        | DatabaseUnavailable
        | IllegalArgumentException
        | UncheckedIOException e) { // the last case: a key file that cannot be read
      throw new UserError(String.valueOf(e.getMessage()));
    }
  }

  private static void start(App app) {
    try {
      app.start();
    } catch (IllegalStateException | StorageException | DatabaseUnavailable e) {
      throw new UserError(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Checked before anything is opened; the error of the server itself would come late and is long.
   */
  private static void refuseTakenPort(ServerConfig server) {
    if (server.port() == 0) {
      return;
    }
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(server.host(), server.port()));
    } catch (IOException e) {
      if (!isOurs(server.host())) {
        throw new UserError(
            "Cannot listen on %s: this machine does not have that address. Set --host or POSTRIDER_HOST to an address of this machine, or to 0.0.0.0 for all of them."
                .formatted(server.host()));
      }
      throw new UserError(
          "Cannot listen on %s:%d (%s). Stop the process that uses the port, or choose another port with --port or POSTRIDER_PORT."
              .formatted(server.host(), server.port(), e.getMessage()));
    }
  }

  private static boolean isOurs(String host) {
    try {
      InetAddress address = InetAddress.getByName(host);
      return address.isAnyLocalAddress() || NetworkInterface.getByInetAddress(address) != null;
    } catch (IOException _) {
      return false;
    }
  }

  private static void stop(App app, PrintStream out, CountDownLatch stopped) {
    print(out, "shutting down: waiting for requests and deliveries in progress (at most 20 s)");
    app.close();
    print(out, "stopped");
    stopped.countDown();
  }

  private static void print(PrintStream out, String text) {
    synchronized (out) {
      out.println(text);
      out.flush();
    }
  }

  /** The URL, the API key if it was just generated, and the commands of a first send. */
  static String welcome(App app) {
    StringBuilder text = new StringBuilder();
    text.append("Postrider is ready at ").append(app.url()).append('\n');
    app.generatedKey()
        .ifPresent(
            made -> text.append("API key (shown once, keep it): ").append(made).append('\n'));
    if (app.isWorker()) {
      text.append(
          "This instance has the role worker: it delivers messages. Use the API of an instance"
              + " with the role api or all.\n");
    } else {
      text.append(firstSend(app));
    }
    return text.toString();
  }

  private static String firstSend(App app) {
    String receiver =
        app.hasEcho()
            ? "the built-in receiver %s accepts it, and it is printed here".formatted(app.echoUrl())
            : "replace https://example.com/hook with the URL of your receiver";
    return """

    Send a first webhook; %4$s:

      export POSTRIDER_API_KEY='%2$s'
      curl -sS %1$s/api/v1/app -H "Authorization: Bearer $POSTRIDER_API_KEY" -H 'Content-Type: application/json' \\
        -d '{"name": "First", "uid": "first"}'
      curl -sS %1$s/api/v1/app/first/endpoint -H "Authorization: Bearer $POSTRIDER_API_KEY" -H 'Content-Type: application/json' \\
        -d '{"url": "%3$s"}'
      curl -sS %1$s/api/v1/app/first/msg -H "Authorization: Bearer $POSTRIDER_API_KEY" -H 'Content-Type: application/json' \\
        -d '{"eventType": "invoice.paid", "payload": {"amount": 42}}'
    """
        .formatted(
            app.url(),
            app.generatedKey().orElse("<your key>"),
            app.hasEcho() ? app.echoUrl() : "https://example.com/hook",
            receiver);
  }

  /**
   * Starts a server, sends requests and stops: the training run of the AOT cache. A PostgreSQL
   * schema is deleted afterwards; it must be a new one.
   */
  public static int warmUp(Config config) {
    return warmUp(config, WarmUp.MESSAGES);
  }

  static int warmUp(Config config, int messages) {
    refuseTakenPort(config.server());
    try (App app = open(config)) {
      start(app);
      SighupHandler.listen(app::reload);
      WarmUp.run(app, messages);
      // As a real start does; a warm-up prints nothing.
      print(
          new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
          welcome(app));
    }
    if (config.storage().database() instanceof DatabaseUrl.Postgres) {
      new OfflineDatabase(config.storage().engine(), Settings::nameOf, new SystemTime())
          .dropSchema();
    }
    return ExitCode.OK;
  }
}
