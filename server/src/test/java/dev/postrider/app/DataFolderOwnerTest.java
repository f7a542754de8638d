package dev.postrider.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.postrider.cli.Cli;
import dev.postrider.crypto.MasterKeyFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who may use what the commands leave in the data folder and beside it. The server has a user of
 * its own; its administrator runs the commands as root.
 */
class DataFolderOwnerTest {
  private static final Integer SERVER_USER = 12_345;

  @TempDir Path folder;
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void needsModes() {
    assumeTrue(folder.getFileSystem().supportedFileAttributeViews().contains("unix"));
  }

  private void run(String... arguments) {
    Cli.Actions actions =
        new Cli.Actions(
            config -> 7,
            config -> 7,
            List.of(new MigrateCommand(), new BackupCommand(), new RestoreCommand()));
    Map<String, String> environment = Map.of("POSTRIDER_DATA_DIR", data().toString());
    PrintWriter out = new PrintWriter(new StringWriter());
    int code = new Cli(actions, environment, out, new PrintWriter(err)).run(arguments);
    assertThat(code).as("%s", err).isZero();
  }

  private Path data() {
    return folder.resolve("data");
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(data())) {
      return files.toList();
    }
  }

  @Test
  void othersCanReadNeitherTheDatabaseNorABackup() throws IOException {
    Path copy = folder.resolve("copy.db");
    run("migrate");
    run("backup", copy.toString());
    Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
    run("restore", "--force", copy.toString());

    Path second = folder.resolve("second.db");
    run("backup", second.toString());
    assertThat(modes(second)).isEqualTo("rw-------");
    assertThat(files())
        .extracting(file -> file.getFileName().toString())
        .contains("postrider.db", "postrider.db.replaced", "postrider.db.lock");
    assertThat(files()).allSatisfy(file -> assertThat(modes(file)).isEqualTo("rw-------"));
  }

  @Test
  void filesCreatedByRootBelongToTheOwnerOfTheFolder() throws IOException {
    Files.createDirectory(data());
    assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(data(), "unix:uid")), "needs root");
    Files.setAttribute(data(), "unix:uid", SERVER_USER);
    Files.setAttribute(data(), "unix:gid", SERVER_USER);

    Path copy = folder.resolve("copy.db");
    run("migrate");
    run("backup", copy.toString());
    run("restore", "--force", copy.toString());
    new MasterKeyFile(data().resolve("master.key.next"), new SecureRandom()).readOrCreate();

    assertThat(files()).hasSizeGreaterThanOrEqualTo(4);
    assertThat(files())
        .allSatisfy(
            file -> {
              assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(SERVER_USER);
              assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(SERVER_USER);
            });
  }

  private static String modes(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }
}
