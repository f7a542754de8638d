package dev.postrider.options;

import java.nio.file.Path;

/** Where the key comes from that wraps all others. */
public sealed interface MasterKeySource {
  /** Given as text: 32 bytes in base64. */
  record Text(Secret key) implements MasterKeySource {}

  /** In a file of the operator's; absent is an error. */
  record File(Path path) implements MasterKeySource {}

  /** In a key management service. */
  record Kms(String uri) implements MasterKeySource {}

  /** In the data folder; made with mode 0600 at the first start. */
  record Generated(Path path) implements MasterKeySource {}
}
