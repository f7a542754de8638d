package dev.postrider.options;

import java.nio.file.Path;

/** The source of the master key, such as a file or a key management service. */
public sealed interface MasterKeySource {
  /** The master key itself: 32 bytes in base64. */
  record Text(Secret key) implements MasterKeySource {}

  /** A file that the operator has created; it is an error if it does not exist. */
  record File(Path path) implements MasterKeySource {}

  /** A key in a key management service (KMS). */
  record Kms(String uri) implements MasterKeySource {}

  /** A file in the data folder, created with mode 0600 at the first start. */
  record Generated(Path path) implements MasterKeySource {}
}
