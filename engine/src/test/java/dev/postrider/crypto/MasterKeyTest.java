package dev.postrider.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.testkit.ManualTime;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MasterKeyTest {
  @TempDir Path folder;
  private final SecureRandom random = new SecureRandom();

  @Test
  void theIdIsStableShortAndNotPartOfTheKey() {
    byte[] bytes = MasterKey.randomBytes(random);
    String text = Base64.getEncoder().encodeToString(bytes);
    MasterKey key = MasterKey.ofText(text + "\n", "POSTRIDER_MASTER_KEY");
    assertThat(key.id()).matches("[0-9a-f]{8}").isEqualTo(MasterKey.ofText(text, "elsewhere").id());
    assertThat(key.id()).isNotEqualTo(MasterKey.generate(random, "other").id());
    assertThat(key.toString()).contains(key.id(), "POSTRIDER_MASTER_KEY").doesNotContain(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "c2hvcnQ=",
        "*not base64*",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISI="
      })
  void badTextNamesTheSettingAndTheFixAndNotTheText(String text) {
    assertThatThrownBy(() -> MasterKey.ofText(text, "POSTRIDER_MASTER_KEY"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasNoCause()
        .message()
        .startsWith("POSTRIDER_MASTER_KEY:")
        .contains("openssl rand -base64 32")
        .doesNotContain("c2hvcnQ")
        .doesNotContain("AAECAw");
  }

  /** How file systems without hard links say no. */
  static Stream<Exception> refusals() {
    return Stream.of(
        new FileSystemException("a", "b", "Operation not permitted"),
        new AccessDeniedException("a"),
        new UnsupportedOperationException());
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void withoutHardLinksTheFileIsMadeInItsPlace(Exception refusal) throws Exception {
    Path path = folder.resolve("keys/master.key");
    MasterKeyFile.Linking none =
        (_, _) -> {
          if (refusal instanceof IOException e) {
            throw e;
          }
          throw (RuntimeException) refusal;
        };
    MasterKey made = new MasterKeyFile(path, random, none).readOrCreate();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rw-------");
    assertThat(new MasterKeyFile(path, random, none).readOrCreate().id()).isEqualTo(made.id());
    try (Stream<Path> files = Files.list(folder.resolve("keys"))) {
      assertThat(files).containsExactly(path);
    }
  }

  @Test
  void aKeyThatAnotherMadeMeanwhileIsKept() throws Exception {
    Path path = folder.resolve("master.key");
    MasterKey theirs = new MasterKeyFile(folder.resolve("theirs"), random).readOrCreate();
    MasterKeyFile.Linking late =
        (name, _) -> {
          Files.copy(folder.resolve("theirs"), name, StandardCopyOption.COPY_ATTRIBUTES);
          throw new FileSystemException("a", "b", "Operation not permitted");
        };
    assertThat(new MasterKeyFile(path, random, late).readOrCreate().id()).isEqualTo(theirs.id());
  }

  @Test
  void aMissingFileIsMadeForItsOwnerOnlyAndReadAgain() throws Exception {
    Path path = folder.resolve("data/master.key");
    MasterKey made = new MasterKeyFile(path, random).readOrCreate();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rw-------");
    assertThat(new MasterKeyFile(path, random).readOrCreate()).isEqualTo(made);
    try (Stream<Path> files = Files.list(path.getParent())) {
      assertThat(files).containsExactly(path);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r-----", "rw----r--", "rw-rw-rw-", "rw--w----"})
  void aFileThatOthersMayUseIsRefusedNamingTheFix(String mode) throws Exception {
    Path path = folder.resolve("master.key");
    MasterKeyFile file = new MasterKeyFile(path, random);
    file.readOrCreate();
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    assertThatThrownBy(file::readOrCreate)
        .hasMessageContaining(mode)
        .hasMessageContaining("chmod 600 " + path);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("r--------"));
    assertThat(file.readOrCreate()).isNotNull();
  }

  @Test
  void aFileWithSomethingElseIsRefusedWithoutShowingIt() throws Exception {
    Path path = folder.resolve("master.key");
    Files.createFile(
        path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    MasterKeyFile file = new MasterKeyFile(path, random);
    assertThatThrownBy(file::readOrCreate)
        .hasMessageContaining(path.toString())
        .hasMessageContaining("32 bytes");
    Files.writeString(path, "hunter2");
    assertThatThrownBy(file::readOrCreate)
        .message()
        .contains(path.toString())
        .doesNotContain("hunter2");
    Files.writeString(path, "x".repeat(2000));
    assertThatThrownBy(file::readOrCreate).hasMessageContaining("too large");
  }

  @Test
  void processesThatStartTogetherAgreeOnOneKey() throws Exception {
    Path path = folder.resolve("master.key");
    Callable<MasterKey> start = () -> new MasterKeyFile(path, random).readOrCreate();
    Set<String> ids = new HashSet<>();
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<MasterKey> key : pool.invokeAll(java.util.Collections.nCopies(16, start))) {
        ids.add(key.get().id());
      }
    }
    assertThat(ids).hasSize(1);
  }

  @Test
  void anUnknownKmsIsRefusedWithTheList() {
    assertThatThrownBy(() -> KmsMasterKey.of("azure-kms://vault/key", Map.of(), new ManualTime()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("aws-kms://, gcp-kms:// or vault://");
  }

  @Test
  void aMalformedKmsUriIsRefusedWithItsForm() {
    for (String uri : List.of("aws-kms://alias/x", "gcp-kms://projects/p", "vault://key")) {
      assertThatThrownBy(() -> KmsMasterKey.of(uri, Map.of(), new ManualTime()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("master key " + uri + ": must be ");
    }
  }
}
