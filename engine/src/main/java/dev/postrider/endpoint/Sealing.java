package dev.postrider.endpoint;

import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.SealedColumn;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.signature.SigningKey;
import dev.postrider.tenant.Application;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Encrypts the secrets of an endpoint. An encrypted value is bound to its endpoint and purpose, so
 * that it cannot be decrypted if it is copied to another row. Must not be called inside a
 * transaction, because the keyring may write a data key in a separate transaction.
 */
final class Sealing {
  private static final String HEADERS = "headers";
  private static final String SECRET = "secret";

  static final List<SealedColumn> COLUMNS =
      List.of(
          SealedColumn.of("endpoints", "headers", "id", (id, _) -> context(HEADERS, id)),
          SealedColumn.of(
              "signing_secrets", "sealed", "owner_id", (owner, _) -> context(SECRET, owner)));

  private final Keyring keyring;

  Sealing(Keyring keyring) {
    this.keyring = keyring;
  }

  byte[] sealHeaders(Application application, EndpointId endpointId, Map<String, String> headers) {
    byte[] plain = Json.write(headers).getBytes(StandardCharsets.UTF_8);
    return keyring.seal(application.keyScope(), plain, context(HEADERS, endpointId.value()));
  }

  Map<String, String> openHeaders(String environmentId, EndpointId endpointId, byte[] sealed) {
    byte[] plain = keyring.open(environmentId, sealed, context(HEADERS, endpointId.value()));
    return Json.texts(new String(plain, StandardCharsets.UTF_8));
  }

  byte[] sealKey(Application application, Id ownerId, SigningKey key) {
    return keyring.seal(application.keyScope(), key.encode(), context(SECRET, ownerId));
  }

  SigningKey openKey(String environmentId, Id ownerId, byte[] sealed) {
    return SigningKey.decode(keyring.open(environmentId, sealed, context(SECRET, ownerId)));
  }

  private static byte[] context(String purpose, Id owner) {
    return (purpose + ' ' + owner).getBytes(StandardCharsets.UTF_8);
  }
}
