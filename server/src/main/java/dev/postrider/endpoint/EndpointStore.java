package dev.postrider.endpoint;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditRows;
import dev.postrider.audit.Deed;
import dev.postrider.crypto.Keyring;
import dev.postrider.endpoint.EndpointListener.Change;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.signature.SigningKey;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Transactions;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationRows;
import dev.postrider.tenant.LimitReached;
import dev.postrider.tenant.Saved;
import dev.postrider.tenant.UidTaken;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints' rows. Every change locks the application's row first and bumps its routing
 * version, so changes of one application come one after the other and limits hold without a race.
 */
public final class EndpointStore {
  public static final String DISABLED_BY_USER = "user";

  /** Endpoints that an application may have beyond the active ones. */
  public static final int MAX_INACTIVE = 1_000;

  /** What holds for applications without a limit of their own where nothing was chosen. */
  public static final int DEFAULT_MAX_ACTIVE = 1_000;

  private final Database database;
  private final Sealing sealing;
  private final Ids ids;
  private final TimeSource time;
  private final EndpointListener listener;
  private final EndpointReports reports;
  private final int maxActive;
  private final EndpointRows rows;

  public EndpointStore(
      Database database, Keyring keyring, Ids ids, TimeSource time, EndpointListener listener) {
    this(database, keyring, ids, time, listener, EndpointReports.NONE, DEFAULT_MAX_ACTIVE);
  }

  /**
   * @param reports told within each transaction; the listener after it
   * @param maxActive endpoints of an application that has no limit of its own
   */
  public EndpointStore(
      Database database,
      Keyring keyring,
      Ids ids,
      TimeSource time,
      EndpointListener listener,
      EndpointReports reports,
      int maxActive) {
    this.database = database;
    this.sealing = new Sealing(keyring);
    this.ids = ids;
    this.time = time;
    this.listener = listener;
    this.reports = reports;
    this.maxActive = maxActive;
    this.rows = new EndpointRows(database.dialect());
  }

  /**
   * An endpoint to be created, with what is sealed.
   *
   * @param key its first signing key
   */
  public record NewEndpoint(EndpointSpec spec, SigningKey key, Map<String, String> headers) {
    @Override
    public String toString() {
      return "NewEndpoint[" + spec + "]";
    }
  }

  /**
   * A new endpoint.
   *
   * @return null if the application is gone
   * @throws UidTaken if another endpoint of the application has the uid
   * @throws LimitReached if there are too many
   */
  public @Nullable Endpoint create(Application application, NewEndpoint wanted) {
    Id id = ids.next();
    Sealed sealed = seal(application, id, wanted);
    Optional<Endpoint> created =
        database.write(
            handle ->
                lock(handle, application.id())
                    .map(locked -> insert(handle, locked, id, wanted.spec(), sealed)));
    created.ifPresent(endpoint -> tell(endpoint, Change.CREATED));
    return created.orElse(null);
  }

  @SuppressWarnings("ArrayRecordComponent") // from the sealing to the insert
  private record Sealed(byte[] key, byte @Nullable [] headers) {}

  private Sealed seal(Application application, Id id, NewEndpoint wanted) {
    String environment = application.environmentId();
    return new Sealed(
        sealing.sealKey(environment, id, wanted.key()),
        wanted.headers().isEmpty() ? null : sealing.sealHeaders(environment, id, wanted.headers()));
  }

  private Endpoint insert(
      Handle handle, Application application, Id id, EndpointSpec spec, Sealed sealed) {
    refuseTakenUid(handle, application.id(), null, spec.uid());
    refuseTooMany(handle, application, !spec.disabled(), true);
    rows.insert(handle, id, application.id(), spec, sealed.headers(), time.nowMs());
    SecretRows.insert(handle, ids.next(), application.id(), id, sealed.key(), time.nowMs());
    Endpoint created = rows.find(handle, application.id(), id).orElseThrow();
    reports.changed(handle, application, created, new EndpointReports.Change.Created());
    return created;
  }

  private Optional<Application> lock(Handle handle, Id applicationId) {
    return ApplicationRows.lockAndBump(handle, database.dialect(), applicationId);
  }

  private void refuseTakenUid(
      Handle handle, Id applicationId, @Nullable String current, @Nullable String wanted) {
    if (wanted != null
        && !wanted.equals(current)
        && rows.find(handle, applicationId, wanted).isPresent()) {
      throw new UidTaken(wanted);
    }
  }

  /** How many endpoints of the application may be active at once. */
  public int limit(Application application) {
    Integer own = application.spec().settings().maxEndpoints();
    return own == null ? maxActive : own;
  }

  private void refuseTooMany(
      Handle handle, Application application, boolean oneMoreActive, boolean oneMore) {
    int limit = limit(application);
    if (oneMoreActive && count(handle, application.id(), " AND NOT disabled") >= limit) {
      throw new LimitReached(
          "the application has %d active endpoints, which is its limit; disable or delete one"
              .formatted(limit));
    }
    if (oneMore && count(handle, application.id(), "") >= limit + MAX_INACTIVE) {
      throw new LimitReached(
          "the application has %d endpoints, which is its limit; delete one"
              .formatted(limit + MAX_INACTIVE));
    }
  }

  private static int count(Handle handle, Id applicationId, String which) {
    return handle
        .createQuery(
            "SELECT count(*) FROM endpoints WHERE application_id = :application AND deleted_at IS"
                + " NULL"
                + which)
        .bind("application", applicationId)
        .mapTo(Integer.class)
        .one();
  }

  /** The live endpoint that the caller named by id text or uid; null if there is none. */
  public @Nullable Endpoint find(Id applicationId, String idOrUid) {
    return database.read(handle -> rows.find(handle, applicationId, idOrUid)).orElse(null);
  }

  /** Those of these endpoints that the application has or had, deleted ones without their uid. */
  public List<Endpoint> withDeleted(Id applicationId, Collection<Id> ids) {
    return database.snapshot(handle -> rows.any(handle, applicationId, ids));
  }

  public Keyset.Page<Endpoint> list(Id applicationId, Keyset<Id> keyset) {
    return database.snapshot(handle -> keyset.page(rows.list(handle, applicationId, keyset)));
  }

  /**
   * Changes the endpoint in one transaction.
   *
   * @param change a pure function, for the transaction may be re-run
   * @return the endpoint afterwards; null if there is none
   */
  public @Nullable Endpoint update(
      Id applicationId, String idOrUid, UnaryOperator<EndpointSpec> change) {
    Optional<Changed> changed =
        database.write(
            handle ->
                lock(handle, applicationId)
                    .flatMap(locked -> updateRow(handle, locked, idOrUid, change)));
    changed.ifPresent(this::tell);
    return changed.map(Changed::after).orElse(null);
  }

  /**
   * Closes the endpoint's circuit at once and forgets its failures. What was to wait for the end of
   * the cooldown is due now.
   */
  public void resetCircuit(Application application, Endpoint endpoint) {
    long until = database.write(handle -> closeCircuit(handle, application, endpoint));
    if (until > 0) {
      // Apart from the lane: finishes lock deliveries before their lane, never after it.
      database.write(
          handle ->
              handle
                  .createUpdate(
                      """
                      UPDATE deliveries SET next_attempt_at = :now
                       WHERE lane_id = :lane AND next_attempt_at = :until AND status = 3
                      """)
                  .bind("now", time.nowMs())
                  .bind("lane", endpoint.id())
                  .bind("until", until)
                  .execute());
    }
    tell(endpoint, Change.UPDATED);
  }

  /** The end of the cooldown that was under way; zero if there was none. */
  private long closeCircuit(Handle handle, Application application, Endpoint endpoint) {
    lock(handle, application.id());
    long until =
        handle
            .createQuery("SELECT open_until FROM lanes WHERE id = :id AND circuit <> 0")
            .bind("id", endpoint.id())
            .mapTo(Long.class)
            .findOne()
            .orElse(0L);
    handle
        .createUpdate(
            """
            UPDATE lanes SET circuit = 0, failures = 0, first_failure_at = 0, open_until = 0, open_count = 0,
                   probe = NULL, slow_until = 0, reduced_cap = 0
             WHERE id = :id
            """)
        .bind("id", endpoint.id())
        .execute();
    if (until > 0) {
      reports.changed(handle, application, endpoint, new EndpointReports.Change.CircuitReset());
    }
    return until;
  }

  private record Changed(Endpoint before, Endpoint after) {}

  private Optional<Changed> updateRow(
      Handle handle, Application application, String idOrUid, UnaryOperator<EndpointSpec> change) {
    Optional<Endpoint> found = rows.find(handle, application.id(), idOrUid);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Endpoint before = found.get();
    EndpointSpec spec = change.apply(before.spec());
    refuseTakenUid(handle, application.id(), before.spec().uid(), spec.uid());
    refuseTooMany(handle, application, before.spec().disabled() && !spec.disabled(), false);
    rows.update(handle, before, spec, time.nowMs());
    return rows.find(handle, application.id(), before.id())
        .map(
            after -> {
              report(handle, application, before, after);
              return new Changed(before, after);
            });
  }

  private void report(Handle handle, Application application, Endpoint before, Endpoint after) {
    boolean disabled = after.spec().disabled();
    if (before.spec().disabled() != disabled) {
      reports.changed(
          handle,
          application,
          after,
          disabled
              ? new EndpointReports.Change.Disabled(false, null)
              : new EndpointReports.Change.Enabled());
    }
    if (!before.spec().edit().disabled(disabled).done().equals(after.spec())) {
      reports.changed(handle, application, after, new EndpointReports.Change.Updated());
    }
  }

  private void tell(Changed changed) {
    EndpointSpec before = changed.before().spec();
    EndpointSpec after = changed.after().spec();
    List<Change> changes = new ArrayList<>();
    if (before.disabled() != after.disabled()) {
      changes.add(after.disabled() ? Change.DISABLED : Change.ENABLED);
    }
    if (before.paused() != after.paused()) {
      changes.add(after.paused() ? Change.PAUSED : Change.RESUMED);
    }
    if (changes.isEmpty()) {
      changes.add(Change.UPDATED);
    }
    changes.forEach(change -> tell(changed.after(), change));
  }

  private void tell(Endpoint endpoint, Change change) {
    listener.changed(endpoint.applicationId(), endpoint.id(), change);
  }

  /**
   * Changes the endpoint of that name, or creates it if the name is a uid that no endpoint has.
   *
   * @return null if the name is an id that does not exist, or the application is gone
   */
  public @Nullable Saved<Endpoint> upsert(
      Application application,
      String idOrUid,
      NewEndpoint fresh,
      UnaryOperator<EndpointSpec> change) {
    boolean byId = idOrUid.startsWith(IdKind.ENDPOINT.prefix());
    Id id = ids.next();
    Sealed sealed = seal(application, id, fresh);
    Optional<Upserted> done =
        database.write(
            handle ->
                lock(handle, application.id())
                    .flatMap(
                        locked -> {
                          Optional<Changed> changed = updateRow(handle, locked, idOrUid, change);
                          if (changed.isPresent() || byId) {
                            return changed.map(c -> new Upserted(c, c.after()));
                          }
                          return Optional.of(
                              new Upserted(null, insert(handle, locked, id, fresh.spec(), sealed)));
                        }));
    done.ifPresent(this::tell);
    return done.map(d -> new Saved<>(d.endpoint(), d.changed() == null)).orElse(null);
  }

  private record Upserted(@Nullable Changed changed, Endpoint endpoint) {}

  private void tell(Upserted upserted) {
    if (upserted.changed() == null) {
      tell(upserted.endpoint(), Change.CREATED);
    } else {
      tell(upserted.changed());
    }
  }

  /**
   * Disables the endpoint because of what it answered or did not.
   *
   * @param transactions the connection of the caller, who may not wait for one of the pool
   * @return false if there is none or it was disabled already
   */
  public boolean disable(
      Transactions transactions, Id applicationId, Id endpointId, String reason) {
    boolean disabled =
        transactions.write(
            handle ->
                lock(handle, applicationId)
                    .map(application -> disable(handle, application, endpointId, reason))
                    .orElse(false));
    if (disabled) {
      listener.changed(applicationId, endpointId, Change.DISABLED);
    }
    return disabled;
  }

  private boolean disable(Handle handle, Application application, Id endpointId, String reason) {
    int changed =
        handle
            .createUpdate(
                """
                UPDATE endpoints SET disabled = NOT disabled, disabled_reason = :reason, disabled_at = :now,
                  version = version + 1, updated_at = :now
                WHERE id = :id AND application_id = :application AND deleted_at IS NULL AND NOT disabled
                """)
            .bind("reason", reason)
            .bind("now", time.nowMs())
            .bind("id", endpointId)
            .bind("application", application.id())
            .execute();
    if (changed == 1) {
      Long since =
          handle
              .createQuery("SELECT failing_since FROM lanes WHERE id = :id AND failing_since > 0")
              .bind("id", endpointId)
              .mapTo(Long.class)
              .findOne()
              .orElse(null);
      rows.find(handle, application.id(), endpointId)
          .ifPresent(
              endpoint ->
                  reports.changed(
                      handle,
                      application,
                      endpoint,
                      new EndpointReports.Change.Disabled(true, since)));
    }
    return changed == 1;
  }

  /** Hides the endpoint at once and frees its uid; false if there is none. */
  public boolean delete(Id applicationId, String idOrUid) {
    return delete(applicationId, idOrUid, Deed.ENDPOINT_DELETE);
  }

  /**
   * @param deed as what it is written down: some endpoints are known as something else, by name
   */
  public boolean delete(Id applicationId, String idOrUid, Deed deed) {
    Actor actor = Actor.current();
    Optional<Endpoint> deleted =
        database.write(
            handle ->
                lock(handle, applicationId)
                    .flatMap(application -> delete(handle, actor, deed, application, idOrUid)));
    deleted.ifPresent(endpoint -> tell(endpoint, Change.DELETED));
    return deleted.isPresent();
  }

  private Optional<Endpoint> delete(
      Handle handle, Actor actor, Deed deed, Application application, String idOrUid) {
    Optional<Endpoint> found = rows.find(handle, application.id(), idOrUid);
    found.ifPresent(
        endpoint -> {
          handle
              .createUpdate(
                  """
                  UPDATE endpoints SET deleted_at = :now, version = version + 1, updated_at = :now
                  WHERE id = :id AND application_id = :application AND deleted_at IS NULL
                  """)
              .bind("now", time.nowMs())
              .bind("id", endpoint.id())
              .bind("application", application.id())
              .execute();
          reports.changed(handle, application, endpoint, new EndpointReports.Change.Deleted());
          AuditRows.ofApplication(
              handle,
              ids.next(),
              actor,
              deed,
              application.id(),
              deed == Deed.ENDPOINT_DELETE ? endpoint.id().text(IdKind.ENDPOINT) : idOrUid);
        });
    return found;
  }
}
