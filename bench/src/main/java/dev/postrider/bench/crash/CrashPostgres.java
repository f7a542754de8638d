package dev.postrider.bench.crash;

import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.BenchPostgres;
import dev.postrider.bench.testbed.Pause;
import dev.postrider.bench.testbed.PostgresUrl;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A PostgreSQL with durable commits that trials kill and restart with the same command line. */
final class CrashPostgres implements AutoCloseable {
  private static final double GONE_SECONDS = 20;
  private static final double BACK_SECONDS = 60;

  /** How PostgreSQL ends. */
  enum End {
    /** The postmaster alone; its backends notice. */
    POSTMASTER_KILLED,
    ALL_KILLED,
    IMMEDIATE,
    FAST
  }

  private final BenchPostgres postgres;
  private final Path folder;
  private final ChildProcesses children;
  private final Pause pause;
  private final TimeSource time;
  private final List<String> command;
  private long pid;
  private int databases;

  private CrashPostgres(
      BenchPostgres postgres, Path folder, ChildProcesses children, TimeSource time) {
    this.postgres = postgres;
    this.folder = folder;
    this.children = children;
    this.time = time;
    this.pause = new Pause(time);
    this.pid = postgres.pid();
    this.command = command(pid);
  }

  static CrashPostgres start(Path folder, ChildProcesses children, TimeSource time) {
    BenchPostgres postgres = BenchPostgres.embedded(folder);
    try {
      return new CrashPostgres(postgres, folder, children, time);
    } catch (RuntimeException e) {
      postgres.close();
      throw e;
    }
  }

  /** As it was started; root may not run PostgreSQL, except inside a user namespace. */
  private static List<String> command(long pid) {
    try {
      List<String> command = new ArrayList<>();
      if ("root".equals(System.getProperty("user.name"))) {
        command.add("unshare");
        command.add("-U");
      }
      String line = Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.UTF_8);
      command.addAll(Arrays.asList(line.split("\0", 0)));
      return command;
    } catch (IOException e) {
      throw new BenchFailure("cannot read the command line of the PostgreSQL process", e);
    }
  }

  PostgresUrl newDatabase() {
    return postgres.create("postrider_crash_" + ++databases);
  }

  /** Down for that long, then up again and answering. */
  void restart(End end, double seconds, Disruptions disruptions) {
    long from = time.nanos();
    List<ProcessHandle> all = new ArrayList<>();
    ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
    postmaster.descendants().forEach(all::add);
    switch (end) {
      case POSTMASTER_KILLED -> postmaster.destroyForcibly();
      case ALL_KILLED -> {
        postmaster.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
      }
      case IMMEDIATE -> ChildProcesses.signal("QUIT", pid);
      case FAST -> ChildProcesses.signal("INT", pid);
    }
    all.add(postmaster);
    if (!pause.await(GONE_SECONDS, () -> all.stream().noneMatch(ProcessHandle::isAlive))) {
      all.forEach(ProcessHandle::destroyForcibly);
    }
    pause.seconds(seconds);
    Process process =
        children.start(
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(folder.resolve("postgres.log").toFile())));
    pid = process.pid();
    if (!pause.await(BACK_SECONDS, () -> answers(process)) || !process.isAlive()) {
      throw new BenchFailure(
          "PostgreSQL did not start again; see its log: " + folder.resolve("postgres.log"));
    }
    postgres.readBack();
    disruptions.add(Disruptions.Kind.OUTAGE, Disruptions.ALL, from, time.nanos());
  }

  private boolean answers(Process process) {
    if (!process.isAlive()) {
      return true;
    }
    try (Connection connection = DriverManager.getConnection(postgres.url().jdbc())) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  /** Ends every connection to the database; returns how many there were. */
  int terminateBackends(PostgresUrl url, Disruptions disruptions) {
    long from = time.nanos();
    try (Connection connection = DriverManager.getConnection(url.jdbc());
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                """
                SELECT count(*) FROM (
                  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE datname = current_database() AND pid <> pg_backend_pid()) t
                """)) {
      rows.next();
      disruptions.add(Disruptions.Kind.OUTAGE, Disruptions.ALL, from, time.nanos());
      return rows.getInt(1);
    } catch (SQLException e) {
      throw new BenchFailure("cannot terminate backends: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    postgres.close();
  }
}
