package dev.postrider.options;

import java.nio.file.Path;

/** The source of the master key. */
public sealed interface MasterKeySource {
  /** Given as text: 32 bytes in base64. */
  record Text(Secret key) implements MasterKeySource {}

  /** In a file of the operator; an error if it does not exist. */
  record File(Path path) implements MasterKeySource {}

  /** In a key management service. */
  record Kms(String uri) implements MasterKeySource {}

  /** In the data folder; created with mode 0600 at the first start. */
  record Generated(Path path) implements MasterKeySource {}
}
