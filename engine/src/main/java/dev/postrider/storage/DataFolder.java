package dev.postrider.storage;

import static java.util.Objects.requireNonNull;

import dev.postrider.disk.PrivateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Files in the folder of the database, which other users cannot read. */
public final class DataFolder {
  private DataFolder() {}

  /** Creates the file or replaces it, in one step and durably; creates its folder if missing. */
  public static void replace(Path file, byte[] content) throws IOException {
    Files.createDirectories(requireNonNull(file.toAbsolutePath().getParent()));
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    PrivateFile.create(fresh);
    Files.write(fresh, content, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
