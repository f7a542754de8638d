package dev.postrider.queue;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.SealedColumn;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Tokens for the polling calls of one queue. They can be read again, so each is stored encrypted in
 * addition to its hash; an old one stays valid for a while after it was replaced.
 */
public final class QueueTokenStore {
  private static final String PREFIX = "poll_";
  private static final int RANDOM_BYTES = 32;

  public static final SealedColumn SEALED =
      new SealedColumn(
          "queue_tokens",
          "sealed",
          "queue_id IN (SELECT q.id FROM queues q WHERE q.application_id = :app)",
          "id",
          null,
          (id, _) -> context(id));

  private final Database database;
  private final Keyring keyring;
  private final Ids ids;
  private final TimeSource time;
  private final SecureRandom random;

  public QueueTokenStore(
      Database database, Keyring keyring, Ids ids, TimeSource time, SecureRandom random) {
    this.database = database;
    this.keyring = keyring;
    this.ids = ids;
    this.time = time;
    this.random = random;
  }

  /**
   * A token with its text.
   *
   * @param expiresAt null means never
   */
  public record Token(Id id, String text, Instant createdAt, @Nullable Instant expiresAt) {
    @Override
    public String toString() {
      return "Token[" + id + "]";
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // opened at once
  private record Sealed(Id id, byte[] sealed, Instant createdAt, @Nullable Instant expiresAt) {}

  /** The newest valid one; null if there is none. */
  public @Nullable Token current(String environmentId, Queue queue) {
    return database
        .read(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT id, sealed, created_at, expires_at FROM queue_tokens
                         WHERE queue_id = :queue AND (expires_at IS NULL OR expires_at > :now) ORDER BY id DESC LIMIT 1
                        """)
                    .bind("queue", queue.id())
                    .bind("now", time.nowMs())
                    .map(
                        Row.mapper(
                            database.dialect(),
                            row ->
                                new Sealed(
                                    row.id("id"),
                                    row.bytes("sealed"),
                                    row.time("created_at"),
                                    row.timeOrNull("expires_at"))))
                    .findOne())
        .map(
            row ->
                new Token(
                    row.id(),
                    new String(
                        keyring.open(environmentId, row.sealed(), context(row.id())),
                        StandardCharsets.UTF_8),
                    row.createdAt(),
                    row.expiresAt()))
        .orElse(null);
  }

  /**
   * Creates a token; older ones expire after an overlap, or sooner if they already expire.
   *
   * @param lifetime null means no expiry
   */
  public Token rotate(
      Application application, Queue queue, @Nullable Duration lifetime, Duration overlap) {
    Actor actor = Actor.current();
    long now = time.nowMs();
    byte[] bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    Token token =
        new Token(
            ids.next(),
            PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes),
            Instant.ofEpochMilli(now),
            lifetime == null ? null : Instant.ofEpochMilli(now).plus(lifetime));
    byte[] sealed =
        keyring.seal(
            application.keyScope(),
            token.text().getBytes(StandardCharsets.UTF_8),
            context(token.id()));
    database.write(
        handle -> {
          handle
              .createUpdate(
                  "DELETE FROM queue_tokens WHERE queue_id = :queue AND expires_at <= :now")
              .bind("queue", queue.id())
              .bind("now", now)
              .execute();
          handle
              .createUpdate(
                  """
                  UPDATE queue_tokens SET expires_at = :end
                   WHERE queue_id = :queue AND (expires_at IS NULL OR expires_at > :end)
                  """)
              .bind("queue", queue.id())
              .bind("end", now + overlap.toMillis())
              .execute();
          AuditRows.ofApplication(
              handle,
              ids.next(),
              actor,
              AuditAction.QUEUE_TOKEN_ROTATE,
              new ApplicationId(queue.applicationId().value()),
              queue.id().text());
          return handle
              .createUpdate(
                  """
                  INSERT INTO queue_tokens (id, queue_id, hash, sealed, created_at, expires_at)
                  VALUES (:id, :queue, :hash, :sealed, :now, :expires)
                  """)
              .bind("id", token.id())
              .bind("queue", queue.id())
              .bind("hash", QueueKeys.hash(token.text()))
              .bind("sealed", sealed)
              .bind("now", now)
              .bind("expires", token.expiresAt())
              .execute();
        });
    return token;
  }

  private static byte[] context(Id id) {
    return ("queue-token " + id).getBytes(StandardCharsets.UTF_8);
  }
}
