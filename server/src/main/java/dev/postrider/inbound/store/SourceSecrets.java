package dev.postrider.inbound.store;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.crypto.KeyScope;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.inbound.compiled.CompiledSecrets;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceToken;
import dev.postrider.inbound.store.SourceRows.Sealed;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.inbound.verify.verifier.Verifier;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.tenant.TooManySecrets;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of sources, encrypted in their rows: those that verify requests, of which old ones
 * stay active for an overlap, and the token of a secret URL.
 */
final class SourceSecrets {
  private final Database database;
  private final SourceSealing sealing;
  private final Ids ids;
  private final TimeSource time;

  SourceSecrets(Database database, SourceSealing sealing, Ids ids, TimeSource time) {
    this.database = database;
    this.sealing = sealing;
    this.ids = ids;
    this.time = time;
  }

  /** A secret that is not stored yet. */
  @SuppressWarnings("ArrayRecordComponent") // carried to its row, never compared
  record Fresh(String eventTypes, byte[] sealed) {}

  /** Of each list, the first comes first. */
  List<Fresh> seal(KeyScope scope, Id sourceId, Map<String, List<SourceSecret>> lists) {
    List<Fresh> sealed = new ArrayList<>();
    lists.forEach(
        (eventTypes, secrets) ->
            secrets.forEach(
                secret ->
                    sealed.add(
                        new Fresh(eventTypes, sealing.seal(scope, sourceId, eventTypes, secret)))));
    return sealed;
  }

  List<CompiledSecrets.Active> open(Source source, List<Sealed> sealed) {
    return sealed.stream()
        .map(
            secret ->
                new CompiledSecrets.Active(
                    secret.eventTypes(),
                    sealing.open(source.environmentId(), secret),
                    secret.expiresAtMs()))
        .toList();
  }

  /** The first of the list gets the newest id. */
  void add(Handle handle, Id sourceId, List<Fresh> sealed) {
    for (Fresh secret : sealed.reversed()) {
      SourceRows.insertSecret(
          handle, ids.next(), sourceId, secret.eventTypes(), secret.sealed(), time.nowMs());
    }
  }

  /**
   * The difference between the old and new secrets of a source: which are deleted and which are
   * added; equal ones are not changed.
   */
  record Replacement(List<Id> gone, List<Fresh> added) {
    static final Replacement NONE = new Replacement(List.of(), List.of());

    boolean isEmpty() {
      return gone.isEmpty() && added.isEmpty();
    }
  }

  /**
   * @param scope of the data key for what is added
   */
  Replacement replacement(Source source, KeyScope scope, SecretChange wanted) {
    if (wanted.isEmpty()) {
      return Replacement.NONE;
    }
    List<Sealed> stored =
        database.read(handle -> SourceRows.secrets(handle, database.dialect(), source.id()));
    Map<String, List<SourceSecret>> missing = new LinkedHashMap<>();
    wanted.lists().forEach((eventTypes, list) -> missing.put(eventTypes, new ArrayList<>(list)));
    List<Id> gone = new ArrayList<>();
    for (Sealed secret : stored) {
      if (wanted.replaces(secret.eventTypes())) {
        SourceSecret opened = sealing.open(source.environmentId(), secret);
        List<SourceSecret> list = missing.getOrDefault(secret.eventTypes(), new ArrayList<>());
        if (secret.expiresAtMs() != null || !list.remove(opened)) {
          gone.add(secret.id());
        }
      }
    }
    return new Replacement(gone, seal(scope, source.id(), missing));
  }

  /** All secrets of a source, sealed again because it belongs to another application now. */
  @SuppressWarnings("ArrayRecordComponent") // carried to its row, never compared
  record Resealed(Map<Id, byte[]> secrets, byte @Nullable [] token) {
    static final Resealed NONE = new Resealed(Map.of(), null);
  }

  Resealed resealed(Source source, KeyScope scope) {
    List<Sealed> stored =
        database.read(handle -> SourceRows.secrets(handle, database.dialect(), source.id()));
    Map<Id, byte[]> secrets = new LinkedHashMap<>();
    for (Sealed secret : stored) {
      SourceSecret opened = sealing.open(source.environmentId(), secret);
      secrets.put(secret.id(), sealing.seal(scope, source.id(), secret.eventTypes(), opened));
    }
    String token = token(source);
    return new Resealed(
        secrets, token == null ? null : sealing.sealToken(scope, source.id(), token));
  }

  static void write(Handle handle, Id sourceId, Resealed resealed) {
    resealed
        .secrets()
        .forEach(
            (id, fresh) ->
                handle
                    .createUpdate("UPDATE source_secrets SET sealed = :fresh WHERE id = :id")
                    .bind("fresh", fresh)
                    .bind("id", id)
                    .execute());
    if (resealed.token() != null) {
      handle
          .createUpdate("UPDATE sources SET token = :token WHERE id = :id")
          .bind("token", resealed.token())
          .bind("id", sourceId)
          .execute();
    }
  }

  void replace(Handle handle, Id sourceId, Replacement replacement) {
    replacement.gone().forEach(id -> SourceRows.deleteSecret(handle, id));
    add(handle, sourceId, replacement.added());
  }

  /** Adds a secret and expires the others after the overlap; false if the source does not exist. */
  boolean rotate(
      Source source, KeyScope scope, String eventTypes, SourceSecret secret, Duration overlap) {
    byte[] sealed = sealing.seal(scope, source.id(), eventTypes, secret);
    Id id = ids.next();
    Actor actor = Actor.current();
    return database.write(
        handle -> {
          if (!SourceRows.touch(handle, source.id(), time.nowMs())) {
            return false;
          }
          expireOld(handle, source.id(), eventTypes, overlap);
          SourceRows.insertSecret(handle, id, source.id(), eventTypes, sealed, time.nowMs());
          AuditRows.ofEnvironment(
              handle,
              ids.next(),
              actor,
              AuditAction.SOURCE_SECRET_ROTATE,
              source.environmentId(),
              source.id().text(IdKind.SOURCE));
          return true;
        });
  }

  private void expireOld(Handle handle, Id sourceId, String eventTypes, Duration overlap) {
    long now = time.nowMs();
    handle
        .createUpdate(
            """
            UPDATE source_secrets SET expires_at = :end
            WHERE source_id = :source AND event_types = :types AND (expires_at IS NULL OR expires_at > :end)
            """)
        .bind("source", sourceId)
        .bind("types", eventTypes)
        .bind("end", now + overlap.toMillis())
        .execute();
    handle
        .createUpdate("DELETE FROM source_secrets WHERE source_id = :source AND expires_at <= :now")
        .bind("source", sourceId)
        .bind("now", now)
        .execute();
    List<Sealed> left = SourceRows.secrets(handle, database.dialect(), sourceId);
    if (left.stream().filter(secret -> secret.eventTypes().equals(eventTypes)).count()
        >= Verifier.MAX_SECRETS) {
      throw new TooManySecrets(Verifier.MAX_SECRETS - 1);
    }
  }

  /** Adds a secret unless the source has one meanwhile. */
  boolean learn(Source source, KeyScope scope, SourceSecret secret) {
    String others = SecretChange.ALL_OTHERS;
    byte[] sealed = sealing.seal(scope, source.id(), others, secret);
    Id id = ids.next();
    return database.write(
        handle -> {
          if (!SourceRows.touch(handle, source.id(), time.nowMs())
              || !SourceRows.secrets(handle, database.dialect(), source.id()).isEmpty()) {
            return false;
          }
          SourceRows.insertSecret(handle, id, source.id(), others, sealed, time.nowMs());
          return true;
        });
  }

  /** Creates a token; the old one expires after the overlap. */
  boolean setToken(Source source, KeyScope scope, SourceToken token, Duration overlap) {
    byte[] sealed = sealing.sealToken(scope, source.id(), token.text());
    return database.write(
        handle -> {
          SourceRows.countChange(handle);
          return handle
                  .createUpdate(
                      """
                      UPDATE sources SET old_token_hash = token_hash, old_token_until = :until, token = :token,
                        token_hash = :hash, version = version + 1, updated_at = :now
                      WHERE id = :id
                      """)
                  .bind("id", source.id())
                  .bind("until", time.nowMs() + overlap.toMillis())
                  .bind("token", sealed)
                  .bind("hash", token.hash())
                  .bind("now", time.nowMs())
                  .execute()
              == 1;
        });
  }

  /** The token; null if the source has none. */
  @Nullable String token(Source source) {
    return database
        .read(
            handle ->
                handle
                    .createQuery("SELECT token FROM sources WHERE id = :id AND token IS NOT NULL")
                    .bind("id", source.id())
                    .map(Row.mapper(database.dialect(), row -> row.bytes("token")))
                    .findOne())
        .map(stored -> sealing.openToken(source.environmentId(), source.id(), stored))
        .orElse(null);
  }
}
