package dev.postrider.inbound.store;

import dev.postrider.crypto.KeyScope;
import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.SealedColumn;
import dev.postrider.id.Id;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Encrypts the secrets of a source, bound to the source, to their event types and to their purpose.
 * Never called inside a transaction: the keyring may have to write a data key in its own
 * transaction.
 */
final class SourceSealing {
  private static final String SECRET = "source-secret ";
  private static final String TOKEN = "source-token ";

  static final List<SealedColumn> COLUMNS =
      List.of(
          SealedColumn.of("sources", "token", "id", (id, _) -> context(TOKEN, id.toString())),
          new SealedColumn(
              "source_secrets",
              "sealed",
              "source_id IN (SELECT s.id FROM sources s WHERE s.application_id = :app)",
              "source_id",
              "event_types",
              SourceSealing::secretContext));

  private final Keyring keyring;

  SourceSealing(Keyring keyring) {
    this.keyring = keyring;
  }

  byte[] seal(KeyScope scope, Id sourceId, String eventTypes, SourceSecret secret) {
    return keyring.seal(scope, secret.bytes(), secretContext(sourceId, eventTypes));
  }

  SourceSecret open(String environmentId, SourceRows.Sealed sealed) {
    return SourceSecret.ofBytes(
        keyring.open(
            environmentId, sealed.sealed(), secretContext(sealed.sourceId(), sealed.eventTypes())));
  }

  private static byte[] secretContext(Id sourceId, String eventTypes) {
    return context(SECRET, sourceId + (eventTypes.isEmpty() ? "" : " " + eventTypes));
  }

  byte[] sealToken(KeyScope scope, Id sourceId, String token) {
    return keyring.seal(
        scope, token.getBytes(StandardCharsets.UTF_8), context(TOKEN, sourceId.toString()));
  }

  String openToken(String environmentId, Id sourceId, byte[] sealed) {
    return new String(
        keyring.open(environmentId, sealed, context(TOKEN, sourceId.toString())),
        StandardCharsets.UTF_8);
  }

  private static byte[] context(String purpose, String owner) {
    return (purpose + owner).getBytes(StandardCharsets.UTF_8);
  }
}
