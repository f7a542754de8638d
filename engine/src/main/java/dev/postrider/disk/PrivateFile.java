package dev.postrider.disk;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Creates files that only the owner of their folder can use. */
public final class PrivateFile {
  private static final String OWNER_ONLY = "rw-------";
  private static final Integer ROOT = 0;

  private PrivateFile() {}

  /** Creates an empty file; an existing one is left unchanged. */
  public static void create(Path file) throws IOException {
    try {
      Files.createFile(file, modes(file));
      giveToFolder(file);
    } catch (FileAlreadyExistsException _) {
      // An administrator may have opened it to others, or replaced it by a link.
    }
  }

  /**
   * Files created by root are given to the owner of the folder; other users can neither do so nor
   * need to.
   */
  public static void giveToFolder(Path file) throws IOException {
    if (!has(file, "unix") || !ROOT.equals(Files.getAttribute(file, "unix:uid"))) {
      return;
    }
    Path folder = requireNonNull(file.toAbsolutePath().getParent());
    Files.setAttribute(file, "unix:gid", Files.getAttribute(folder, "unix:gid"));
    Files.setAttribute(file, "unix:uid", Files.getAttribute(folder, "unix:uid"));
  }

  /** For a new file: only its owner may read and write it. */
  public static FileAttribute<?>[] modes(Path file) {
    return has(file, "posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWNER_ONLY))
        }
        : new FileAttribute<?>[0];
  }

  private static boolean has(Path file, String view) {
    return file.getFileSystem().supportedFileAttributeViews().contains(view);
  }
}
