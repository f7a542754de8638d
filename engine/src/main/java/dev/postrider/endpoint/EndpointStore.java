package dev.postrider.endpoint;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.crypto.Keyring;
import dev.postrider.endpoint.EndpointChanged.Change;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.signature.SigningKey;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Transactions;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationRows;
import dev.postrider.tenant.Grant;
import dev.postrider.tenant.LimitReached;
import dev.postrider.tenant.UidTaken;
import dev.postrider.tenant.UpsertResult;
import dev.postrider.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the rows of endpoints. Every change first locks the row of the application and
 * increments its routing version, so changes in one application run one after the other and limits
 * cannot be exceeded by concurrent calls.
 */
public final class EndpointStore {
  public static final String DISABLED_BY_USER = "user";

  /** Endpoints that an application may have beyond the active ones. */
  public static final int MAX_INACTIVE = 1_000;

  /** What holds for applications without a limit of their own where nothing was chosen. */
  public static final int DEFAULT_MAX_ACTIVE = 1_000;

  /** The code of {@code DeliveryStatus.FAILED}; {@code delivery} imports this package. */
  private static final int RETRY_SCHEDULED = 3;

  /**
   * The code of {@code dev.postrider.delivery.Circuit.CLOSED}, which this package cannot import.
   */
  static final int CIRCUIT_CLOSED = 0;

  private final Database database;
  private final Sealing sealing;
  private final Ids ids;
  private final TimeSource time;
  private final EventPublisher events;
  private final int maxActive;
  private final EndpointRows rows;
  private final AgentRouteRows routes;

  public EndpointStore(
      Database database, Keyring keyring, Ids ids, TimeSource time, EventPublisher events) {
    this(database, keyring, ids, time, events, DEFAULT_MAX_ACTIVE);
  }

  /**
   * @param maxActive maximum number of enabled endpoints of an application without its own limit
   */
  public EndpointStore(
      Database database,
      Keyring keyring,
      Ids ids,
      TimeSource time,
      EventPublisher events,
      int maxActive) {
    this.database = database;
    this.sealing = new Sealing(keyring);
    this.ids = ids;
    this.time = time;
    this.events = events;
    this.maxActive = maxActive;
    this.rows = new EndpointRows(database.dialect());
    this.routes = new AgentRouteRows(database.dialect());
  }

  /**
   * An endpoint to be created, with its secret and its headers already encrypted.
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
    return create(application, wanted, Grant.DEFAULT);
  }

  /**
   * The same, and raises the application's grant in the same transaction.
   *
   * @param grant what the application is granted at least
   */
  public @Nullable Endpoint create(Application application, NewEndpoint wanted, Grant grant) {
    SealedEndpoint sealed = seal(application, wanted);
    Optional<Notice> created =
        database.write(
            handle ->
                lock(handle, application.id())
                    .map(
                        locked -> {
                          Notice inserted = insert(handle, locked, sealed);
                          raiseGrant(handle, locked, grant);
                          return inserted;
                        }));
    created.ifPresent(this::publish);
    return created.map(Notice::endpoint).orElse(null);
  }

  /** An endpoint that can be inserted within a transaction. */
  @SuppressWarnings("ArrayRecordComponent") // from the sealing to the insert
  record SealedEndpoint(EndpointId id, EndpointSpec spec, byte[] key, byte @Nullable [] headers) {
    SealedEndpoint with(EndpointSpec other) {
      return new SealedEndpoint(id, other, key, headers);
    }

    @Override
    public String toString() {
      return "SealedEndpoint[" + spec + "]";
    }
  }

  /** The changes of an endpoint in one transaction, to be published after the commit. */
  record Notice(Endpoint endpoint, List<Change> changes) {
    Notice(Endpoint endpoint, Change change) {
      this(endpoint, List.of(change));
    }
  }

  /** Publishes what a committed transaction did. */
  void publish(Notice notice) {
    notice.changes().forEach(change -> publish(notice.endpoint(), change));
  }

  /** Seals the key and the headers; never called inside a transaction. */
  SealedEndpoint seal(Application application, NewEndpoint wanted) {
    EndpointId id = new EndpointId(ids.next());
    return new SealedEndpoint(
        id,
        wanted.spec(),
        sealing.sealKey(application, id.value(), wanted.key()),
        wanted.headers().isEmpty() ? null : sealing.sealHeaders(application, id, wanted.headers()));
  }

  /**
   * A new endpoint, within the caller's transaction.
   *
   * @param application as it is locked by the transaction
   */
  Notice insert(Handle handle, Application application, SealedEndpoint sealed) {
    EndpointSpec spec = sealed.spec();
    refuseTakenUid(handle, application.id(), null, spec.get(EndpointFields.UID));
    refuseTooMany(handle, application, !spec.get(EndpointFields.DISABLED), true);
    rows.insert(handle, sealed.id(), application.id(), spec, sealed.headers(), time.nowMs());
    SecretRows.insert(
        handle, ids.next(), application.id(), sealed.id().value(), sealed.key(), time.nowMs());
    Endpoint created = rows.find(handle, application.id(), sealed.id()).orElseThrow();
    report(handle, application, created, new EndpointReport.Change.Created());
    return new Notice(created, Change.CREATED);
  }

  private Optional<Application> lock(Handle handle, ApplicationId applicationId) {
    return ApplicationRows.lockAndBump(
        handle, database.dialect(), new ApplicationId(applicationId.value()));
  }

  private void raiseGrant(Handle handle, Application locked, Grant grant) {
    ApplicationRows.raiseGrant(handle, locked, grant, time.nowMs());
  }

  private void refuseTakenUid(
      Handle handle,
      ApplicationId applicationId,
      @Nullable String current,
      @Nullable String wanted) {
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
          "the application already has %d active endpoints, which is its limit; disable or delete one"
              .formatted(limit));
    }
    if (oneMore && count(handle, application.id(), "") >= limit + MAX_INACTIVE) {
      throw new LimitReached(
          "the application already has %d endpoints, which is its limit; delete one"
              .formatted(limit + MAX_INACTIVE));
    }
  }

  private static int count(Handle handle, ApplicationId applicationId, String which) {
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
  public @Nullable Endpoint find(ApplicationId applicationId, String idOrUid) {
    return database.read(handle -> rows.find(handle, applicationId, idOrUid)).orElse(null);
  }

  Optional<Endpoint> find(Handle handle, ApplicationId applicationId, String idOrUid) {
    return rows.find(handle, applicationId, idOrUid);
  }

  /** Those of these endpoints that the application has or had, deleted ones without their uid. */
  public List<Endpoint> withDeleted(ApplicationId applicationId, Collection<Id> ids) {
    return database.snapshot(handle -> rows.any(handle, applicationId, ids));
  }

  public Keyset.Page<Endpoint> list(ApplicationId applicationId, Keyset<Id> keyset) {
    return list(applicationId, keyset, null);
  }

  /**
   * @param health only endpoints of this health; null for all
   */
  public Keyset.Page<Endpoint> list(
      ApplicationId applicationId, Keyset<Id> keyset, @Nullable EndpointHealth health) {
    return database.snapshot(
        handle -> keyset.page(rows.list(handle, applicationId, keyset, health)));
  }

  /**
   * Changes the endpoint in one transaction.
   *
   * @param change a pure function, for the transaction may be re-run
   * @return the endpoint afterwards; null if there is none
   */
  public @Nullable Endpoint update(
      ApplicationId applicationId, String idOrUid, UnaryOperator<EndpointSpec> change) {
    return update(applicationId, idOrUid, change, Grant.DEFAULT);
  }

  /**
   * The same, and raises the application's grant in the same transaction if the endpoint exists.
   *
   * @param grant what the application is granted at least
   */
  public @Nullable Endpoint update(
      ApplicationId applicationId,
      String idOrUid,
      UnaryOperator<EndpointSpec> change,
      Grant grant) {
    Optional<Notice> changed =
        database.write(
            handle ->
                lock(handle, applicationId)
                    .flatMap(
                        locked -> {
                          Optional<Notice> done = update(handle, locked, idOrUid, change);
                          if (done.isPresent()) {
                            raiseGrant(handle, locked, grant);
                          }
                          return done;
                        }));
    changed.ifPresent(this::publish);
    return changed.map(Notice::endpoint).orElse(null);
  }

  /**
   * Closes the endpoint's circuit at once and resets its failure count. What was to wait for the
   * end of the cooldown is due now.
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
                       WHERE application_id = :app AND lane_id = :lane AND next_attempt_at = :until AND status = %d
                      """
                          .formatted(RETRY_SCHEDULED))
                  .bind("now", time.nowMs())
                  .bind("app", application.id())
                  .bind("lane", endpoint.id())
                  .bind("until", until)
                  .execute());
    }
    publish(endpoint, Change.UPDATED);
  }

  /** The end of the cooldown that was under way; zero if there was none. */
  private long closeCircuit(Handle handle, Application application, Endpoint endpoint) {
    lock(handle, application.id());
    long until =
        handle
            .createQuery(
                "SELECT open_until FROM lanes WHERE id = :id AND circuit <> " + CIRCUIT_CLOSED)
            .bind("id", endpoint.id())
            .mapTo(Long.class)
            .findOne()
            .orElse(0L);
    handle
        .createUpdate(
            """
            UPDATE lanes SET circuit = :closed, failures = 0, first_failure_at = 0, open_until = 0, open_count = 0,
                   probe = NULL, successes = 0, slow_until = 0, reduced_cap = 0
             WHERE id = :id
            """)
        .bind("closed", CIRCUIT_CLOSED)
        .bind("id", endpoint.id())
        .execute();
    if (until > 0) {
      report(handle, application, endpoint, new EndpointReport.Change.CircuitReset());
    }
    return until;
  }

  /**
   * Changes the endpoint within the caller's transaction.
   *
   * @param application as it is locked by the transaction
   */
  Optional<Notice> update(
      Handle handle, Application application, String idOrUid, UnaryOperator<EndpointSpec> change) {
    Optional<Endpoint> found = rows.find(handle, application.id(), idOrUid);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Endpoint before = found.get();
    EndpointSpec spec = change.apply(before.spec());
    refuseTakenUid(
        handle,
        application.id(),
        before.spec().get(EndpointFields.UID),
        spec.get(EndpointFields.UID));
    refuseTooMany(
        handle,
        application,
        before.spec().get(EndpointFields.DISABLED) && !spec.get(EndpointFields.DISABLED),
        false);
    rows.update(handle, before, spec, time.nowMs());
    return rows.find(handle, application.id(), before.id())
        .map(
            after -> {
              report(handle, application, before, after);
              return new Notice(after, changes(before.spec(), after.spec()));
            });
  }

  private void report(Handle handle, Application application, Endpoint before, Endpoint after) {
    boolean disabled = after.spec().get(EndpointFields.DISABLED);
    if (after.spec().differs(EndpointFields.DISABLED, before.spec())) {
      report(
          handle,
          application,
          after,
          disabled
              ? new EndpointReport.Change.Disabled(false, null)
              : new EndpointReport.Change.Enabled());
    }
    if (!before.spec().with(EndpointFields.DISABLED, disabled).equals(after.spec())) {
      report(handle, application, after, new EndpointReport.Change.Updated());
    }
  }

  private void report(
      Handle handle, Application application, Endpoint endpoint, EndpointReport.Change change) {
    events.publish(handle, new EndpointReport(application, endpoint, change));
  }

  private static List<Change> changes(EndpointSpec before, EndpointSpec after) {
    List<Change> changes = new ArrayList<>();
    if (after.differs(EndpointFields.DISABLED, before)) {
      changes.add(after.get(EndpointFields.DISABLED) ? Change.DISABLED : Change.ENABLED);
    }
    if (after.differs(EndpointFields.PAUSED, before)) {
      changes.add(after.get(EndpointFields.PAUSED) ? Change.PAUSED : Change.RESUMED);
    }
    if (changes.isEmpty()) {
      changes.add(Change.UPDATED);
    }
    return changes;
  }

  private void publish(Endpoint endpoint, Change change) {
    events.publish(new EndpointChanged(endpoint.applicationId(), endpoint.id(), change));
  }

  /**
   * Changes the endpoint of that name, or creates it if the name is a uid that no endpoint has.
   *
   * @return null if the name is an id that does not exist, or the application is gone
   */
  public @Nullable UpsertResult<Endpoint> upsert(
      Application application,
      String idOrUid,
      NewEndpoint fresh,
      UnaryOperator<EndpointSpec> change) {
    return upsert(application, idOrUid, fresh, change, Grant.DEFAULT);
  }

  /**
   * The same, and raises the application's grant in the same transaction.
   *
   * @param grant what the application is granted at least
   */
  public @Nullable UpsertResult<Endpoint> upsert(
      Application application,
      String idOrUid,
      NewEndpoint fresh,
      UnaryOperator<EndpointSpec> change,
      Grant grant) {
    boolean byId = idOrUid.startsWith(IdKind.ENDPOINT.prefix());
    SealedEndpoint sealed = seal(application, fresh);
    Optional<Upserted> done =
        database.write(
            handle ->
                lock(handle, application.id())
                    .flatMap(
                        locked -> {
                          Optional<Notice> changed = update(handle, locked, idOrUid, change);
                          if (changed.isEmpty() && byId) {
                            return Optional.empty();
                          }
                          Upserted upserted =
                              changed
                                  .map(notice -> new Upserted(notice, false))
                                  .orElseGet(
                                      () -> new Upserted(insert(handle, locked, sealed), true));
                          raiseGrant(handle, locked, grant);
                          return Optional.of(upserted);
                        }));
    done.ifPresent(upserted -> publish(upserted.notice()));
    return done.map(
            upserted -> new UpsertResult<>(upserted.notice().endpoint(), upserted.created()))
        .orElse(null);
  }

  private record Upserted(Notice notice, boolean created) {}

  /**
   * Disables the endpoint because of what it answered or did not.
   *
   * @param transactions the connection of the caller, who may not wait for one of the pool
   * @return false if there is none or it was disabled already
   */
  public boolean disable(
      Transactions transactions,
      ApplicationId applicationId,
      EndpointId endpointId,
      String reason) {
    boolean disabled =
        transactions.write(
            handle ->
                lock(handle, applicationId)
                    .map(application -> disable(handle, application, endpointId, reason))
                    .orElse(false));
    if (disabled) {
      events.publish(new EndpointChanged(applicationId, endpointId, Change.DISABLED));
    }
    return disabled;
  }

  private boolean disable(
      Handle handle, Application application, EndpointId endpointId, String reason) {
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
      Instant since =
          handle
              .createQuery("SELECT failing_since FROM lanes WHERE id = :id AND failing_since > 0")
              .bind("id", endpointId)
              .mapTo(Long.class)
              .map(Instant::ofEpochMilli)
              .findOne()
              .orElse(null);
      rows.find(handle, application.id(), endpointId)
          .ifPresent(
              endpoint ->
                  report(
                      handle,
                      application,
                      endpoint,
                      new EndpointReport.Change.Disabled(true, since)));
    }
    return changed == 1;
  }

  /**
   * Hides the endpoint at once and frees its uid. The agent routes that are bound to it go with it.
   *
   * @return false if there is none
   */
  public boolean delete(ApplicationId applicationId, String idOrUid) {
    return delete(applicationId, idOrUid, AuditAction.ENDPOINT_DELETE);
  }

  /**
   * @param action as what it is written down: some endpoints are known as something else, by name
   */
  public boolean delete(ApplicationId applicationId, String idOrUid, AuditAction action) {
    Actor actor = Actor.current();
    Optional<Notice> deleted =
        database.write(
            handle ->
                lock(handle, applicationId)
                    .flatMap(application -> delete(handle, actor, action, application, idOrUid)));
    deleted.ifPresent(this::publish);
    return deleted.isPresent();
  }

  /**
   * Deletes the endpoint within the caller's transaction.
   *
   * @param application as it is locked by the transaction
   */
  Optional<Notice> delete(
      Handle handle, Actor actor, AuditAction action, Application application, String idOrUid) {
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
          report(handle, application, endpoint, new EndpointReport.Change.Deleted());
          AuditRows.ofApplication(
              handle,
              ids.next(),
              actor,
              action,
              application.id(),
              action == AuditAction.ENDPOINT_DELETE ? endpoint.id().text() : idOrUid);
          deleteRoutes(handle, actor, application, endpoint);
        });
    return found.map(endpoint -> new Notice(endpoint, Change.DELETED));
  }

  /** Deletes the routes of an endpoint with it, because they would apply to no endpoint. */
  private void deleteRoutes(
      Handle handle, Actor actor, Application application, Endpoint endpoint) {
    for (AgentRoute route : routes.boundTo(handle, application.id(), endpoint.id())) {
      routes.delete(handle, application.id(), route.id(), time.nowMs());
      AgentRouteStore.audit(handle, ids, actor, route);
    }
  }
}
