package dev.postrider.bench.crash;

import dev.postrider.bench.testbed.BenchFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A small file system (tmpfs) that trials fill up. Only root can mount it. */
final class SmallDisk implements AutoCloseable {
  /** Above the space that the server wants to see free before it accepts (engine rule 33). */
  private static final int MEGABYTES = 320;

  private static final int BLOCK = 64 * 1024;

  private final Path mount;

  private SmallDisk(Path mount) {
    this.mount = mount;
  }

  /** Empty where mounting is not allowed. */
  static Optional<SmallDisk> mount(Path folder) {
    Path mount = folder.resolve("small-disk");
    try {
      Files.createDirectories(mount);
      ChildProcesses.run(
          "mount", "-t", "tmpfs", "-o", "size=" + MEGABYTES + "m", "tmpfs", mount.toString());
      return Optional.of(new SmallDisk(mount));
    } catch (BenchFailure e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new BenchFailure("cannot make " + mount, e);
    }
  }

  Path folder() {
    return mount.resolve("data");
  }

  /** Takes every byte that is left. */
  void fill() {
    byte[] block = new byte[BLOCK];
    int size = BLOCK;
    try (OutputStream out = Files.newOutputStream(filler())) {
      while (size > 0) {
        try {
          out.write(block, 0, size);
        } catch (IOException full) {
          size /= 2;
        }
      }
    } catch (IOException e) {
      throw new BenchFailure("cannot fill the disk", e);
    }
  }

  void free() {
    try {
      Files.deleteIfExists(filler());
    } catch (IOException e) {
      throw new BenchFailure("cannot free the disk", e);
    }
  }

  private Path filler() {
    return mount.resolve("filler");
  }

  @Override
  public void close() {
    ChildProcesses.run("umount", "-l", mount.toString());
  }
}
