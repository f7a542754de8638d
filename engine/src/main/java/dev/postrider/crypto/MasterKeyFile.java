package dev.postrider.crypto;

import dev.postrider.disk.PrivateFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Objects;
import java.util.Set;

/** A master key in a file that only its owner may read: the base64 of 32 bytes and a line end. */
public final class MasterKeyFile {
  private static final int MAX_FILE_BYTES = 1024;

  /**
   * Gives the file {@code existing} the additional name {@code name}. Tests replace it to simulate
   * failures of the file system.
   */
  interface Linking {
    void link(Path name, Path existing) throws IOException;
  }

  private final Path path;
  private final SecureRandom random;
  private final Linking linking;

  public MasterKeyFile(Path path, SecureRandom random) {
    this(path, random, Files::createLink);
  }

  MasterKeyFile(Path path, SecureRandom random, Linking linking) {
    this.path = path.toAbsolutePath();
    this.random = random;
    this.linking = linking;
  }

  /** The key in the file; if the file does not exist, a new key is written first. */
  public MasterKey readOrCreate() {
    try {
      if (Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) {
        create();
      }
      return read();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "master key file "
              + path
              + ": cannot be read or created; check the path and the owner of the file",
          e);
    }
  }

  private MasterKey read() throws IOException {
    refuseIfOthersMay();
    if (Files.size(path) > MAX_FILE_BYTES) {
      throw new IllegalArgumentException(
          "master key file " + path + ": is too large for a master key; check the path");
    }
    return MasterKey.ofText(
        Files.readString(path, StandardCharsets.US_ASCII), "master key file " + path);
  }

  private void refuseIfOthersMay() throws IOException {
    if (!hasModes()) {
      return;
    }
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
    boolean owners =
        permissions.stream().allMatch(permission -> permission.name().startsWith("OWNER_"));
    if (!owners) {
      throw new IllegalArgumentException(
          "master key file %s: other users have access to it (%s); run: chmod 600 %s"
              .formatted(path, PosixFilePermissions.toString(permissions), path));
    }
  }

  /**
   * Written completely next to its target, then hard-linked to it, which fails if another process
   * was first: then its key is used.
   */
  private void create() throws IOException {
    Path folder = Objects.requireNonNull(path.getParent(), "the root folder is not a file");
    Files.createDirectories(folder);
    Path whole = Files.createTempFile(folder, ".master-key-", ".new", PrivateFile.modes(path));
    try {
      PrivateFile.giveToFolder(whole);
      write(whole);
      if (!linked(whole)) {
        createInPlace();
      }
    } catch (FileAlreadyExistsException _) {
      return;
    } finally {
      Files.deleteIfExists(whole);
    }
    sync(folder);
  }

  /** False where there are no hard links: file systems say so in several ways. */
  private boolean linked(Path whole) throws FileAlreadyExistsException {
    try {
      linking.link(path, whole);
      return true;
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (IOException | UnsupportedOperationException _) {
      return false;
    }
  }

  /** A plain move would overwrite another key, an exclusive creation never does. */
  private void createInPlace() throws IOException {
    Files.createFile(path, PrivateFile.modes(path));
    try {
      PrivateFile.giveToFolder(path);
      write(path);
    } catch (IOException e) {
      Files.deleteIfExists(path); // half a key would be rejected forever
      throw e;
    }
  }

  private void write(Path file) throws IOException {
    String text = Base64.getEncoder().encodeToString(MasterKey.randomBytes(random)) + "\n";
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /**
   * Secrets are encrypted with this key from now on, so the directory entry must survive a power
   * failure too.
   */
  private void sync(Path folder) throws IOException {
    if (hasModes()) {
      try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  private boolean hasModes() {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
