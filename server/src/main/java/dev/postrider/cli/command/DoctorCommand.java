package dev.postrider.cli.command;

import dev.postrider.cli.option.FileSettings;
import dev.postrider.cli.remote.Remote;
import dev.postrider.cli.spec.Command;
import dev.postrider.cli.spec.ExitCode;
import dev.postrider.cli.spec.Specs;
import dev.postrider.cli.terminal.JsonOutput;
import dev.postrider.cli.terminal.Terminal;
import dev.postrider.config.Config;
import dev.postrider.config.ConfigException;
import dev.postrider.config.DatabaseUrl;
import dev.postrider.config.ServerConfig;
import dev.postrider.config.Settings;
import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.ConfigurationFile;
import dev.postrider.configfile.FileProblem;
import dev.postrider.engine.services.OfflineDatabase;
import dev.postrider.options.MasterKeySource;
import dev.postrider.options.Secret;
import dev.postrider.storage.SchemaMismatch;
import dev.postrider.storage.StorageException;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code postrider doctor}: checks what a server needs, and suggests fixes. */
public final class DoctorCommand implements Command {
  private static final int JAVA = 25;
  private static final long LEAST_DISK = 1L << 30;
  private static final int MAX_SKEW_S = 5;
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final String EGRESS_HOST = "example.com";

  /** The result of a check. */
  private enum Verdict {
    OK,
    WARNING,
    WRONG
  }

  /**
   * The result of one check, with a suggested fix.
   *
   * @param fix empty if nothing needs to be fixed
   */
  private record Check(String name, Verdict verdict, String text, String fix) {
    static Check ok(String name, String text) {
      return new Check(name, Verdict.OK, text, "");
    }
  }

  @Override
  public CommandSpec spec() {
    return Specs.command(
            "doctor",
            "Checks Java, settings, port, database, master key, disk, clock and outbound network"
                + " access, and suggests a fix for each problem.")
        .option("--config", "FILE", "The configuration file, as in postrider serve.")
        .option("--env", "NAME", "The overlay and .env.NAME, as in postrider serve.")
        .flag("--offline", "Skips the checks that need the network.")
        .example("postrider doctor")
        .example("POSTRIDER_DATA_DIR=/var/lib/postrider postrider doctor --json")
        .exits("0 no problems or only warnings, 1 at least one problem.");
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    List<Check> checks = new ArrayList<>();
    checks.add(java(Runtime.version().feature()));
    Config config = settings(arguments, terminal, checks);
    if (config != null) {
      checks.addAll(server(config, arguments.matchedOptionValue("--offline", false)));
    }
    boolean wrong = checks.stream().anyMatch(check -> check.verdict() == Verdict.WRONG);
    for (Check check : checks) {
      if (terminal.json()) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("check", check.name());
        line.put("verdict", check.verdict().name().toLowerCase(Locale.ROOT));
        line.put("text", check.text());
        line.put("fix", check.fix());
        terminal.out().println(JsonOutput.write(line));
      } else {
        terminal
            .out()
            .printf(
                "%-8s %-10s %s%s%n",
                check.verdict().name().toLowerCase(Locale.ROOT),
                check.name(),
                check.text(),
                check.fix().isEmpty() ? "" : "\n" + " ".repeat(20) + "fix: " + check.fix());
      }
    }
    return wrong ? ExitCode.FAILED : ExitCode.OK;
  }

  private static Check java(int feature) {
    return feature >= JAVA
        ? Check.ok("java", "Java " + Runtime.version())
        : new Check(
            "java",
            Verdict.WRONG,
            "Java " + feature,
            "install a JDK, version " + JAVA + " or newer");
  }

  /**
   * Null only if the settings themselves are not valid: the rest of the file is not needed here.
   */
  private static @Nullable Config settings(
      ParseResult arguments, Terminal terminal, List<Check> checks) {
    Map<String, String> flags = new HashMap<>();
    for (String flag : List.of("--config", "--env")) {
      String given = arguments.matchedOptionValue(flag, "");
      if (!given.isEmpty()) {
        flags.put(flag, given);
      }
    }
    List<String> problems = new ArrayList<>();
    List<Check> ofFile = new ArrayList<>();
    Config config =
        read(
            () ->
                FileSettings.checked(
                    terminal.environment(), flags, file -> ofFile.addAll(warnings(file))),
            problems);
    checks.addAll(ofFile);
    if (config != null) {
      checks.add(
          Check.ok(
              "settings",
              config
                  .file()
                  .location()
                  .map(location -> "valid, read from " + location)
                  .orElse("valid, without a configuration file")));
      return config;
    }
    problems.forEach(line -> checks.add(bad(line)));
    return read(() -> FileSettings.ofSection(terminal.environment(), flags), new ArrayList<>());
  }

  private static @Nullable Config read(Supplier<Config> reading, List<String> problems) {
    try {
      return reading.get();
    } catch (ConfigException e) {
      problems.addAll(e.problems());
    } catch (BadFile e) {
      problems.addAll(e.lines());
    }
    return null;
  }

  private static List<Check> warnings(ConfigurationFile file) {
    List<Check> checks = new ArrayList<>();
    file.unset().forEach(variable -> checks.add(unset(variable)));
    file.warnings()
        .forEach(
            warning ->
                checks.add(
                    new Check(
                        "sources",
                        Verdict.WARNING,
                        warning.toString(),
                        "set a verification scheme for the source, unless any client may send to it")));
    return checks;
  }

  /** A warning: the shell that runs this command need not be that of the server. */
  private static Check unset(FileProblem variable) {
    return new Check(
        "settings",
        Verdict.WARNING,
        variable.toString(),
        "set the variable for the server, which does not start without it");
  }

  private static Check bad(String line) {
    return new Check(
        "settings",
        Verdict.WRONG,
        line,
        "fix the setting; postrider help config lists all settings");
  }

  private static List<Check> server(Config config, boolean offline) {
    List<Check> checks = new ArrayList<>();
    HttpResponse<String> health = health(config);
    checks.add(port(config, health));
    checks.add(database(config, health));
    checks.add(masterKey(config.security().masterKey()));
    checks.add(metrics(config.server()));
    checks.add(disk(config));
    if (health != null) {
      checks.addAll(configuration(health.body()));
      checks.add(clock(health.headers().firstValue("Date").orElse("")));
    }
    if (!offline) {
      checks.add(egress(config));
    }
    return checks;
  }

  /** Null if no Postrider responds there. */
  private static @Nullable HttpResponse<String> health(Config config) {
    HttpClient client = Remote.http1(PATIENCE);
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(Remote.address(config.server()) + "/health"))
              .timeout(PATIENCE)
              .build();
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      return response.body().contains("\"instance\"") ? response : null;
    } catch (IOException | IllegalArgumentException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } finally {
      client.shutdownNow();
    }
  }

  private static Check port(Config config, @Nullable HttpResponse<String> health) {
    String address = config.server().host() + ":" + config.server().port();
    if (health != null) {
      return Check.ok("port", "a Postrider server responds at " + address);
    }
    try (ServerSocket probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress(config.server().host(), config.server().port()));
      return Check.ok("port", address + " is free; no server is running");
    } catch (IOException e) {
      return new Check(
          "port",
          Verdict.WRONG,
          "cannot listen on " + address + ": " + e.getMessage(),
          "stop the process that uses the port, or choose another port with --port or"
              + " POSTRIDER_PORT");
    }
  }

  /** The configured database; the server that responds may use another. */
  private static Check database(Config config, @Nullable HttpResponse<String> health) {
    try {
      OfflineDatabase database =
          new OfflineDatabase(config.storage().engine(), Settings::nameOf, new SystemTime());
      return switch (config.storage().database()) {
        case DatabaseUrl.Sqlite(Path path) ->
            Files.exists(path)
                ? usable("SQLite in " + path, database.probe(PATIENCE), health)
                : folder(path.toAbsolutePath().getParent());
        case DatabaseUrl.Postgres(String url, String user, Secret _, String _) ->
            usable("PostgreSQL at " + url + " as " + user, database.probe(PATIENCE), health);
      };
    } catch (SchemaMismatch e) {
      return new Check("database", Verdict.WRONG, e.problem(), e.fix());
    } catch (StorageException e) {
      return new Check(
          "database",
          Verdict.WRONG,
          String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
          config.storage().database() instanceof DatabaseUrl.Sqlite
              ? "make the file writable for this user, restore a backup, or fix POSTRIDER_DATA_DIR"
              : "start PostgreSQL, open the firewall, or fix POSTRIDER_DATABASE_URL");
    }
  }

  private static Check usable(String what, int version, @Nullable HttpResponse<String> health) {
    if (health != null && !health.body().contains("\"database\":\"ok\"")) {
      return new Check(
          "database",
          Verdict.WRONG,
          what + " can be opened by this command, but the running server cannot use it",
          "see the server's log");
    }
    return Check.ok("database", what + (version == 0 ? ", empty" : ", schema version " + version));
  }

  private static Check folder(@Nullable Path folder) {
    Path there = folder;
    while (there != null && Files.notExists(there)) {
      there = there.getParent();
    }
    if (there != null && Files.isDirectory(there) && Files.isWritable(there)) {
      return Check.ok("database", "SQLite will be created at the first start in " + folder);
    }
    return new Check(
        "database",
        Verdict.WRONG,
        "the folder " + folder + " is not writable",
        "make it writable for this user, or choose another folder with POSTRIDER_DATA_DIR");
  }

  private static Check masterKey(MasterKeySource source) {
    return switch (source) {
      case MasterKeySource.Text _ -> Check.ok("master key", "in POSTRIDER_MASTER_KEY");
      case MasterKeySource.Kms(String uri) -> Check.ok("master key", "in " + uri);
      case MasterKeySource.File(Path path) -> keyFile(path, true);
      case MasterKeySource.Generated(Path path) -> keyFile(path, false);
    };
  }

  private static Check keyFile(Path path, boolean needed) {
    if (Files.notExists(path)) {
      return needed
          ? new Check(
              "master key",
              Verdict.WRONG,
              path + " does not exist",
              "create the key file: openssl rand -base64 32 > " + path + " && chmod 600 " + path)
          : Check.ok("master key", "will be generated at the first start in " + path);
    }
    try {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
      boolean open = permissions.stream().anyMatch(one -> !one.name().startsWith("OWNER_"));
      if (open || !Files.isReadable(path)) {
        return new Check(
            "master key",
            Verdict.WRONG,
            path + (open ? " can be read by other users" : " cannot be read by this user"),
            open ? "chmod 600 " + path : "run this command as the server's user");
      }
    } catch (IOException | UnsupportedOperationException e) {
      return new Check("master key", Verdict.WARNING, "cannot check " + path + ": " + e, "");
    }
    return Check.ok(
        "master key", path + "; store a copy of it separately from the database backups");
  }

  private static Check metrics(ServerConfig server) {
    if (server.metricsToken().isPresent()) {
      return Check.ok("metrics", "GET /metrics needs POSTRIDER_METRICS_TOKEN");
    }
    return server.isOnLoopback()
        ? Check.ok("metrics", "GET /metrics can be read on this machine only")
        : new Check(
            "metrics",
            Verdict.WARNING,
            "GET /metrics needs no authentication at " + server.host(),
            "set POSTRIDER_METRICS_TOKEN, or block the path at the proxy");
  }

  /** What the running server has of a configuration file at a URL. */
  private static List<Check> configuration(String health) {
    JsonNode state = JsonMapper.builder().build().readTree(health).path("configuration");
    if (state.isMissingNode()) {
      return List.of();
    }
    String text =
        "the server uses version %s, applied at %s; last check at %s"
            .formatted(
                state.path("version").asString("none"),
                state.path("appliedAt").asString("-"),
                state.path("checkedAt").asString("-"));
    String problem = state.path("state").asString("");
    return List.of(
        problem.equals("current")
            ? Check.ok("config", text)
            : new Check(
                "config",
                Verdict.WARNING,
                text + "; the newest version is " + problem,
                "see \"detail\" in the response of GET /api/v1/configuration, or the server's log"));
  }

  private static Check disk(Config config) {
    Path there = config.storage().dataDir().toAbsolutePath();
    while (there.getParent() != null && Files.notExists(there)) {
      there = there.getParent();
    }
    try {
      long free = Files.getFileStore(there).getUsableSpace();
      String text = "%d MB free for %s".formatted(free >> 20, config.storage().dataDir());
      return free >= LEAST_DISK
          ? Check.ok("disk", text)
          : new Check(
              "disk",
              Verdict.WARNING,
              text,
              "free some disk space, or shorten POSTRIDER_RETENTION_DELIVERED");
    } catch (IOException e) {
      return new Check("disk", Verdict.WARNING, "cannot check " + there + ": " + e, "");
    }
  }

  private static Check clock(String date) {
    try {
      Duration skew =
          Duration.between(
                  ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant(),
                  new SystemTime().now())
              .abs();
      return skew.toSeconds() <= MAX_SKEW_S
          ? Check.ok("clock", "matches the clock of the server")
          : new Check(
              "clock",
              Verdict.WRONG,
              "differs from the clock of the server by " + skew.toSeconds() + " s",
              "run a time service such as chrony on this machine and on the server");
    } catch (DateTimeException e) {
      return new Check(
          "clock", Verdict.WARNING, "the response of the server has no Date header", "");
    }
  }

  private static Check egress(Config config) {
    if (config.delivery().egressProxy().isPresent()) {
      return Check.ok("egress", "goes through the proxy " + config.delivery().egressProxy().get());
    }
    try (Socket socket = new Socket()) {
      InetAddress address = InetAddress.getAllByName(EGRESS_HOST)[0];
      socket.connect(new InetSocketAddress(address, 443), (int) PATIENCE.toMillis());
      return Check.ok("egress", EGRESS_HOST + ":443 is reachable");
    } catch (IOException e) {
      return new Check(
          "egress",
          Verdict.WARNING,
          EGRESS_HOST + ":443 is unreachable: " + e.getMessage(),
          "allow outbound DNS and port 443, or set POSTRIDER_EGRESS_PROXY; ignore this if all"
              + " endpoints are in the internal network");
    }
  }
}
