package dev.postrider.endpoint;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.SealedColumn;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.signature.SigningKey;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationRows;
import dev.postrider.tenant.LimitReached;
import dev.postrider.tenant.TooManySecrets;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The encrypted parts of an endpoint: its signing keys and its custom headers. After a rotation the
 * old keys continue to sign in addition to the new one until they expire, so that the receiver can
 * switch in its own time.
 */
public final class EndpointSecrets {
  public static final Duration DEFAULT_OVERLAP = Duration.ofHours(24);
  public static final Duration MAX_OVERLAP = Duration.ofDays(7);

  /** Maximum number of old keys that still sign; a rotation that would exceed it is rejected. */
  public static final int MAX_OLD_KEYS = 10;

  /** How often a change of headers starts over because another one came between. */
  private static final int ROUNDS = 10;

  public static final List<SealedColumn> SEALED = Sealing.COLUMNS;

  private final Database database;
  private final Sealing sealing;
  private final SharedKeys sharedKeys;
  private final Ids ids;
  private final TimeSource time;
  private final EventPublisher events;

  public EndpointSecrets(
      Database database, Keyring keyring, Ids ids, TimeSource time, EventPublisher events) {
    this.database = database;
    this.sealing = new Sealing(keyring);
    this.sharedKeys = new SharedKeys(database.dialect(), sealing, time);
    this.ids = ids;
    this.time = time;
    this.events = events;
  }

  /** The newest signing key; null if there is none. */
  public @Nullable SigningKey current(Application application, Endpoint endpoint) {
    return endpoint.spec().get(EndpointFields.USE_APPLICATION_SECRET)
        ? applicationKey(application)
        : own(application, endpoint);
  }

  /** The newest key of the endpoint itself, even while it uses the application's. */
  public @Nullable SigningKey own(Application application, Endpoint endpoint) {
    return newest(application, endpoint.id().value());
  }

  private @Nullable SigningKey newest(Application application, Id owner) {
    return database
        .read(handle -> newest(handle, application.id(), owner))
        .map(stored -> sealing.openKey(application.environmentId(), owner, stored))
        .orElse(null);
  }

  private Optional<byte[]> newest(Handle handle, ApplicationId applicationId, Id owner) {
    return handle
        .createQuery(
            """
            SELECT sealed FROM signing_secrets
            WHERE application_id = :application AND owner_id = :owner AND expires_at IS NULL
            ORDER BY id DESC LIMIT 1
            """)
        .bind("application", applicationId)
        .bind("owner", owner)
        .map(Row.mapper(database.dialect(), row -> row.bytes("sealed")))
        .findOne();
  }

  /** The application's own signing key; null if it has none yet. */
  public @Nullable SigningKey applicationKey(Application application) {
    return newest(application, application.id().value());
  }

  /** The same, made if it has none. */
  public SigningKey ensureApplicationKey(Application application, SigningKeyGenerator generator) {
    SigningKey known = applicationKey(application);
    return known != null
        ? known
        : sealing.openKey(
            application.environmentId(),
            application.id().value(),
            firstKey(application, generator));
  }

  private byte[] firstKey(Application application, SigningKeyGenerator generator) {
    Id owner = application.id().value();
    byte[] sealed = sealing.sealKey(application, owner, generator.first());
    Id id = ids.next();
    return database.write(
        handle -> {
          // Under the application's lock, so that two callers make one.
          ApplicationRows.lockAndBump(handle, database.dialect(), new ApplicationId(owner));
          Optional<byte[]> other = newest(handle, new ApplicationId(owner), owner);
          if (other.isPresent()) {
            return other.get();
          }
          SecretRows.insert(handle, id, new ApplicationId(owner), owner, sealed, time.nowMs());
          return sealed;
        });
  }

  /**
   * The application signs with that key from now on, and with the old ones until the overlap is
   * over; so do all endpoints that use its secret.
   *
   * @return false if the application is gone
   */
  public boolean rotateApplication(Application application, SigningKey key, Duration overlap) {
    Id owner = application.id().value();
    byte[] sealed = sealing.sealKey(application, owner, key);
    Id id = ids.next();
    Actor actor = Actor.current();
    Optional<List<Id>> rotated =
        database.write(
            handle ->
                ApplicationRows.lockAndBump(handle, database.dialect(), new ApplicationId(owner))
                    .map(
                        _ -> {
                          expireOld(handle, new ApplicationId(owner), owner, overlap);
                          SecretRows.insert(
                              handle, id, new ApplicationId(owner), owner, sealed, time.nowMs());
                          List<Id> users = users(handle, new ApplicationId(owner));
                          users.forEach(
                              user -> reportRotated(handle, application, new EndpointId(user)));
                          AuditRows.ofApplication(
                              handle,
                              ids.next(),
                              actor,
                              AuditAction.APPLICATION_SECRET_ROTATE,
                              new ApplicationId(owner),
                              owner.text(IdKind.APPLICATION));
                          return users;
                        }));
    rotated.ifPresent(
        endpoints ->
            endpoints.forEach(
                endpoint ->
                    events.publish(
                        new EndpointChanged(
                            new ApplicationId(owner),
                            new EndpointId(endpoint),
                            EndpointChanged.Change.SECRET_ROTATED))));
    return rotated.isPresent();
  }

  private void reportRotated(Handle handle, Application application, EndpointId endpointId) {
    new EndpointRows(database.dialect())
        .find(handle, application.id(), endpointId)
        .ifPresent(
            endpoint ->
                events.publish(
                    handle,
                    new EndpointReport(
                        application, endpoint, new EndpointReport.Change.SecretRotated())));
  }

  /** The endpoints that sign with the application's key, marked as changed. */
  private List<Id> users(Handle handle, ApplicationId applicationId) {
    return handle
        .createQuery(
            """
            UPDATE endpoints SET version = version + 1, updated_at = :now
            WHERE application_id = :application AND use_application_secret AND deleted_at IS NULL RETURNING id
            """)
        .bind("application", applicationId)
        .bind("now", time.nowMs())
        .mapTo(Id.class)
        .list();
  }

  /**
   * Signs with that key from now on, and with the old ones until the overlap is over.
   *
   * @return false if the endpoint is gone
   */
  public boolean rotate(
      Application application, Endpoint endpoint, SigningKey key, Duration overlap) {
    Actor actor = Actor.current();
    for (int round = 1; round <= ROUNDS; round++) {
      List<SharedKeys.SealedKeys> shared = database.read(handle -> sharedKeys.of(handle, endpoint));
      List<SharedKeys.SealedKeys> copies = sharedKeys.copies(application, endpoint, shared, ids);
      byte[] sealed = sealing.sealKey(application, endpoint.id().value(), key);
      Id id = ids.next();
      Rotation outcome =
          database.write(
              handle -> {
                if (!lock(handle, endpoint)) {
                  return Rotation.GONE;
                }
                if (!SharedKeys.same(sharedKeys.of(handle, endpoint), shared)) {
                  return Rotation.CHANGED;
                }
                bump(handle, endpoint);
                expireOld(handle, application.id(), endpoint.id().value(), overlap);
                long now = time.nowMs();
                SharedKeys.insert(handle, endpoint, copies, now, now + overlap.toMillis());
                SecretRows.insert(handle, id, application.id(), endpoint.id().value(), sealed, now);
                events.publish(
                    handle,
                    new EndpointReport(
                        application, endpoint, new EndpointReport.Change.SecretRotated()));
                AuditRows.ofApplication(
                    handle,
                    ids.next(),
                    actor,
                    AuditAction.ENDPOINT_SECRET_ROTATE,
                    application.id(),
                    endpoint.id().text());
                return Rotation.DONE;
              });
      switch (outcome) {
        case DONE -> {
          events.publish(
              new EndpointChanged(
                  endpoint.applicationId(), endpoint.id(), EndpointChanged.Change.SECRET_ROTATED));
          return true;
        }
        case GONE -> {
          return false;
        }
        case CHANGED -> {}
      }
    }
    throw new IllegalStateException(
        "the secret of the application is being changed by other requests; try again");
  }

  private enum Rotation {
    DONE,
    GONE,
    /** The application's own keys are others by now. */
    CHANGED
  }

  /** Locks the application, as every change under it does; false if the endpoint is gone. */
  private boolean lock(Handle handle, Endpoint endpoint) {
    return ApplicationRows.lockAndBump(
                handle, database.dialect(), new ApplicationId(endpoint.applicationId().value()))
            .isPresent()
        && new EndpointRows(database.dialect())
            .find(handle, endpoint.applicationId(), endpoint.id())
            .isPresent();
  }

  private void bump(Handle handle, Endpoint endpoint) {
    handle
        .createUpdate(
            """
            UPDATE endpoints SET version = version + 1, updated_at = :now, use_application_secret = :no
            WHERE id = :id AND deleted_at IS NULL
            """)
        .bind("id", endpoint.id())
        .bind("now", time.nowMs())
        .bind("no", false)
        .execute();
  }

  private void expireOld(Handle handle, ApplicationId applicationId, Id owner, Duration overlap) {
    long now = time.nowMs();
    handle
        .createUpdate(
            """
            UPDATE signing_secrets SET expires_at = :end
            WHERE application_id = :application AND owner_id = :owner AND expires_at IS NULL
            """)
        .bind("application", applicationId)
        .bind("owner", owner)
        .bind("end", now + overlap.toMillis())
        .execute();
    handle
        .createUpdate(
            "DELETE FROM signing_secrets WHERE application_id = :application AND owner_id = :owner"
                + " AND expires_at <= :now")
        .bind("application", applicationId)
        .bind("owner", owner)
        .bind("now", now)
        .execute();
    int old =
        handle
            .createQuery(
                "SELECT count(*) FROM signing_secrets WHERE application_id = :application AND"
                    + " owner_id = :owner")
            .bind("application", applicationId)
            .bind("owner", owner)
            .mapTo(Integer.class)
            .one();
    if (old > MAX_OLD_KEYS) {
      throw new TooManySecrets(MAX_OLD_KEYS);
    }
  }

  /** The custom headers with their values, for the owner of the request to mask. */
  public Map<String, String> headers(Application application, Endpoint endpoint) {
    return open(application, endpoint, stored(endpoint).orElse(new Stored(null, 0)));
  }

  @SuppressWarnings("ArrayRecordComponent") // from the query to its opening
  private record Stored(byte @Nullable [] headers, int version) {}

  private Optional<Stored> stored(Endpoint endpoint) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT headers, version FROM endpoints WHERE id = :id AND deleted_at IS NULL")
                .bind("id", endpoint.id())
                .map(
                    Row.mapper(
                        database.dialect(),
                        row -> new Stored(row.bytesOrNull("headers"), row.integer("version"))))
                .findOne());
  }

  private Map<String, String> open(Application application, Endpoint endpoint, Stored stored) {
    return stored.headers() == null
        ? Map.of()
        : sealing.openHeaders(application.environmentId(), endpoint.id(), stored.headers());
  }

  /**
   * Puts these headers in the place of all others.
   *
   * @return false if the endpoint is gone
   */
  public boolean putHeaders(
      Application application, Endpoint endpoint, Map<String, String> headers) {
    return changeHeaders(application, endpoint, _ -> headers);
  }

  /**
   * Sets some headers and removes those whose value is absent; names are compared without regard to
   * case.
   *
   * @return false if the endpoint is gone
   */
  public boolean patchHeaders(
      Application application, Endpoint endpoint, Map<String, Optional<String>> changes) {
    return changeHeaders(application, endpoint, current -> patched(current, changes));
  }

  private static Map<String, String> patched(
      Map<String, String> current, Map<String, Optional<String>> changes) {
    Map<String, String> names = new HashMap<>();
    Map<String, String> result = new TreeMap<>(current);
    current.keySet().forEach(name -> names.put(name.toLowerCase(Locale.ROOT), name));
    changes.forEach(
        (name, value) -> {
          String known = names.get(name.toLowerCase(Locale.ROOT));
          if (known != null) {
            result.remove(known);
          }
          value.ifPresent(text -> result.put(name, text));
        });
    return result;
  }

  /** Computes the new custom headers from the current ones. */
  private interface HeaderChange {
    Map<String, String> apply(Map<String, String> current);
  }

  /**
   * Opened and sealed outside the transaction, which then only takes place if nothing changed in
   * between.
   */
  private boolean changeHeaders(Application application, Endpoint endpoint, HeaderChange change) {
    for (int round = 1; round <= ROUNDS; round++) {
      Stored before = stored(endpoint).orElse(null);
      if (before == null) {
        return false;
      }
      Map<String, String> after = change.apply(open(application, endpoint, before));
      if (after.size() > HeaderRules.MAX_HEADERS) {
        throw new LimitReached(
            "an endpoint may have at most " + HeaderRules.MAX_HEADERS + " headers; remove some");
      }
      byte[] sealed =
          after.isEmpty() ? null : sealing.sealHeaders(application, endpoint.id(), after);
      if (database.write(
          handle -> writeHeaders(handle, application, endpoint, before.version(), sealed))) {
        events.publish(
            new EndpointChanged(
                endpoint.applicationId(), endpoint.id(), EndpointChanged.Change.UPDATED));
        return true;
      }
    }
    throw new IllegalStateException("the endpoint is being changed by other requests; try again");
  }

  private boolean writeHeaders(
      Handle handle,
      Application application,
      Endpoint endpoint,
      int version,
      byte @Nullable [] sealed) {
    boolean written =
        ApplicationRows.lockAndBump(
                    handle, database.dialect(), new ApplicationId(endpoint.applicationId().value()))
                .isPresent()
            && handle
                    .createUpdate(
                        """
                        UPDATE endpoints SET headers = :headers, version = version + 1, updated_at = :now
                        WHERE id = :id AND version = :version AND deleted_at IS NULL
                        """)
                    .bind("id", endpoint.id())
                    .bind("version", version)
                    .bind("headers", sealed)
                    .bind("now", time.nowMs())
                    .execute()
                == 1;
    if (written) {
      events.publish(
          handle, new EndpointReport(application, endpoint, new EndpointReport.Change.Updated()));
    }
    return written;
  }
}
