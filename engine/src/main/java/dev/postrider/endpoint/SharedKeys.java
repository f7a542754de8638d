package dev.postrider.endpoint;

import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.signature.SigningKey;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The signing keys of an application, used by endpoints without a key. When such an endpoint gets
 * its first key, the application's keys continue to sign as old keys for a while, until the
 * receiver has switched.
 */
final class SharedKeys {
  private final Dialect dialect;
  private final Sealing sealing;
  private final TimeSource time;

  SharedKeys(Dialect dialect, Sealing sealing, TimeSource time) {
    this.dialect = dialect;
    this.sealing = sealing;
    this.time = time;
  }

  /** A key as it is stored. */
  @SuppressWarnings("ArrayRecordComponent") // from the query to its opening
  record SealedKeys(Id id, byte[] sealed, @Nullable Long expiresAtMs) {}

  /** Those that work now, the oldest first; none if the endpoint has keys of its own. */
  List<SealedKeys> of(Handle handle, Endpoint endpoint) {
    return handle
        .createQuery(
            """
            SELECT s.id, s.sealed, s.expires_at
            FROM endpoints e JOIN signing_secrets s ON s.application_id = e.application_id AND s.owner_id = e.application_id
            WHERE e.id = :endpoint AND e.application_id = :application AND e.use_application_secret
              AND (s.expires_at IS NULL OR s.expires_at > :now)
            ORDER BY s.id
            """)
        .bind("endpoint", endpoint.id())
        .bind("application", endpoint.applicationId())
        .bind("now", time.nowMs())
        .map(
            Row.mapper(
                dialect,
                row ->
                    new SealedKeys(
                        row.id("id"), row.bytes("sealed"), row.numberOrNull("expires_at"))))
        .list();
  }

  /** The same keys sealed for the endpoint, with ids in the same order. */
  List<SealedKeys> copies(
      Application application, Endpoint endpoint, List<SealedKeys> shared, Ids ids) {
    List<SealedKeys> copies = new ArrayList<>();
    for (SealedKeys one : shared) {
      SigningKey key =
          sealing.openKey(application.environmentId(), application.id().value(), one.sealed());
      copies.add(
          new SealedKeys(
              ids.next(),
              sealing.sealKey(application, endpoint.id().value(), key),
              one.expiresAtMs()));
    }
    return copies;
  }

  static boolean same(List<SealedKeys> some, List<SealedKeys> others) {
    return some.stream()
        .map(SealedKeys::id)
        .toList()
        .equals(others.stream().map(SealedKeys::id).toList());
  }

  /** As keys of the endpoint that end by that time, or sooner if they do so anyway. */
  static void insert(
      Handle handle, Endpoint endpoint, List<SealedKeys> copies, long nowMs, long endMs) {
    for (SealedKeys copy : copies) {
      Long sooner = copy.expiresAtMs();
      SecretRows.insertOld(
          handle,
          copy.id(),
          endpoint.applicationId(),
          endpoint.id().value(),
          copy.sealed(),
          nowMs,
          sooner == null ? endMs : Math.min(sooner, endMs));
    }
  }
}
