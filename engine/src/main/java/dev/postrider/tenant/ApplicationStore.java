package dev.postrider.tenant;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.event.EventPublisher;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.StorageException;
import dev.postrider.tenant.ApplicationChanged.Change;
import dev.postrider.time.TimeSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the rows of applications. An application is addressed by its id or by its uid.
 */
public final class ApplicationStore {
  /**
   * How often a create that found its uid in use reads its holder, which may be deleted in between.
   */
  private static final int ROUNDS = 5;

  private final Database database;
  private final Ids ids;
  private final TimeSource time;
  private final EventPublisher events;

  public ApplicationStore(Database database, Ids ids, TimeSource time, EventPublisher events) {
    this.database = database;
    this.ids = ids;
    this.time = time;
    this.events = events;
  }

  /** A new application, or the one that already has the uid. */
  public UpsertResult<Application> createOrGet(String environmentId, ApplicationSpec spec) {
    for (int round = 1; ; round++) {
      Optional<UpsertResult<Application>> saved =
          database.write(handle -> insertOrFind(handle, environmentId, spec));
      if (saved.isPresent()) {
        return announced(saved.get());
      }
      if (round == ROUNDS) {
        throw new UidTaken(String.valueOf(spec.uid()));
      }
    }
  }

  /**
   * A new application.
   *
   * @throws UidTaken if another one has the uid
   */
  public Application create(String environmentId, ApplicationSpec spec) {
    UpsertResult<Application> saved = createOrGet(environmentId, spec);
    if (!saved.created()) {
      throw new UidTaken(String.valueOf(spec.uid()));
    }
    return saved.value();
  }

  private UpsertResult<Application> announced(UpsertResult<Application> saved) {
    if (saved.created()) {
      events.publish(new ApplicationChanged(saved.value().id(), Change.CREATED, List.of()));
    }
    return saved;
  }

  private Optional<UpsertResult<Application>> insertOrFind(
      Handle handle, String environmentId, ApplicationSpec spec) {
    ApplicationId id = new ApplicationId(ids.next());
    int inserted =
        bind(
                handle.createUpdate(
                    """
                    INSERT INTO applications
                      (id, environment_id, uid, name, metadata, throttle_rate, active, settings, created_at, updated_at)
                    VALUES (:id, :environment, :uid, :name, :metadata, :throttle, :active, :settings, :now, :now)
                    ON CONFLICT DO NOTHING
                    """),
                spec)
            .bind("id", id)
            .bind("environment", environmentId)
            .execute();
    if (inserted == 1) {
      return ApplicationRows.byId(handle, database.dialect(), id)
          .map(row -> new UpsertResult<>(row, true));
    }
    return spec.uid() == null
        ? Optional.empty()
        : ApplicationRows.find(handle, database.dialect(), environmentId, spec.uid())
            .map(row -> new UpsertResult<>(row, false));
  }

  private <S extends SqlStatement<S>> S bind(S statement, ApplicationSpec spec) {
    return statement
        .bind("uid", spec.uid())
        .bind("name", spec.name())
        .bind("metadata", spec.metadata())
        .bind("throttle", spec.throttleRate())
        .bind("active", spec.active())
        .bind("settings", spec.settings().encode())
        .bind("now", time.nowMs());
  }

  public @Nullable Application find(String environmentId, String idOrUid) {
    return database
        .read(handle -> ApplicationRows.find(handle, database.dialect(), environmentId, idOrUid))
        .orElse(null);
  }

  /**
   * Which applications are left out of a list.
   *
   * @param unused leave out applications without an endpoint
   * @param disabled leave out applications whose endpoints are all disabled
   * @param play leave out applications whose endpoints are all at Svix Play
   */
  public record Filter(boolean unused, boolean disabled, boolean play) {
    static final Filter NONE = new Filter(false, false, false);

    private static final String LIVE =
        "SELECT 1 FROM endpoints e WHERE e.application_id = applications.id AND e.deleted_at IS"
            + " NULL";
    private static final String PLAY = "e.url LIKE 'https://play.svix.com/%'";

    private String sql() {
      return (unused ? " AND EXISTS (" + LIVE + ")" : "")
          + (disabled ? only("e.disabled") : "")
          + (play ? only(PLAY) : "");
    }

    private static String only(String condition) {
      return " AND (NOT EXISTS (%s) OR EXISTS (%s AND NOT (%s)))".formatted(LIVE, LIVE, condition);
    }
  }

  public Keyset.Page<Application> list(String environmentId, Keyset<Id> keyset) {
    return list(environmentId, Filter.NONE, keyset);
  }

  public Keyset.Page<Application> list(String environmentId, Filter filter, Keyset<Id> keyset) {
    String sql =
        """
        SELECT <columns> FROM applications
        WHERE environment_id = :environment AND deleted_at IS NULL <from> <filter>
        ORDER BY id <way> LIMIT :fetch
        """;
    return database.read(
        handle -> {
          var query =
              handle
                  .createQuery(
                      keyset.apply(
                          sql.replace("<columns>", ApplicationRows.COLUMNS)
                              .replace("<filter>", filter.sql())
                              .replace(
                                  "<from>", keyset.from() == null ? "" : "AND id <beyond> :from")))
                  .bind("environment", environmentId)
                  .bind("fetch", keyset.fetch());
          if (keyset.from() != null) {
            query.bind("from", keyset.from());
          }
          return keyset.page(
              query.map(Row.mapper(database.dialect(), ApplicationRows::read)).list());
        });
  }

  /**
   * Changes the application in one transaction.
   *
   * @param change a pure function, for the transaction may be re-run
   * @return the application afterwards; null if it does not exist
   * @throws UidTaken if another one has the new uid
   */
  public @Nullable Application update(
      String environmentId, String idOrUid, UnaryOperator<ApplicationSpec> change) {
    Optional<Changed> changed;
    try {
      changed = database.write(handle -> updateRow(handle, environmentId, idOrUid, change));
    } catch (StorageException e) {
      // Two changes to the same uid at once: the index let one through, and this transaction is
      // rolled back.
      if (SqlFaults.of(e) == SqlFaults.BAD_DATA) {
        throw new UidTaken("of the request");
      }
      throw e;
    }
    changed.ifPresent(
        c -> events.publish(new ApplicationChanged(c.after().id(), kind(c), List.of())));
    return changed.map(Changed::after).orElse(null);
  }

  private record Changed(Application before, Application after) {}

  private static Change kind(Changed changed) {
    boolean active = changed.after().spec().active();
    if (active == changed.before().spec().active()) {
      return Change.UPDATED;
    }
    return active ? Change.ACTIVATED : Change.DEACTIVATED;
  }

  private Optional<Changed> updateRow(
      Handle handle, String environmentId, String idOrUid, UnaryOperator<ApplicationSpec> change) {
    Optional<Application> locked = lock(handle, environmentId, idOrUid);
    if (locked.isEmpty()) {
      return Optional.empty();
    }
    Application before = locked.get();
    ApplicationSpec spec = change.apply(before.spec());
    refuseTakenUid(handle, before, spec.uid());
    bind(
            handle.createUpdate(
                """
                UPDATE applications SET uid = :uid, name = :name, metadata = :metadata, throttle_rate = :throttle,
                  active = :active, settings = :settings, updated_at = :now
                WHERE id = :id
                """),
            spec)
        .bind("id", before.id())
        .execute();
    ApplicationSettings old = before.spec().settings();
    if (!Objects.equals(spec.settings().retryPolicy(), old.retryPolicy())
        || !spec.settings().grant().equals(old.grant())) {
      ApplicationRows.bumpEndpoints(handle, before.id());
    }
    Optional<Application> after = ApplicationRows.byId(handle, database.dialect(), before.id());
    if (after.isPresent() && after.get().secrecy().ownDataKey() && !before.secrecy().ownDataKey()) {
      events.publish(handle, new OwnDataKeyChosen(before.environmentId(), before.id()));
    }
    return after.map(changed -> new Changed(before, changed));
  }

  /** Raises the grant of the application to the values of one of its endpoints. */
  public void raiseGrant(Application application, Grant endpoint) {
    if (!application.spec().settings().grant().covers(endpoint)) {
      Application _ =
          update(
              application.environmentId(),
              application.id().text(),
              spec -> spec.with(spec.settings().with(spec.settings().grant().raisedTo(endpoint))));
    }
  }

  private Optional<Application> lock(Handle handle, String environmentId, String idOrUid) {
    return ApplicationRows.find(handle, database.dialect(), environmentId, idOrUid)
        .flatMap(found -> ApplicationRows.lockAndBump(handle, database.dialect(), found.id()));
  }

  private void refuseTakenUid(Handle handle, Application before, @Nullable String uid) {
    if (uid == null || uid.equals(before.spec().uid())) {
      return;
    }
    if (ApplicationRows.find(handle, database.dialect(), before.environmentId(), uid).isPresent()) {
      throw new UidTaken(uid);
    }
  }

  /**
   * Changes the application of that name, or creates it if the name is an unused uid.
   *
   * @return null if the name is an id that does not exist
   */
  public @Nullable UpsertResult<Application> upsert(
      String environmentId,
      String idOrUid,
      ApplicationSpec fresh,
      UnaryOperator<ApplicationSpec> change) {
    for (int round = 1; round <= ROUNDS; round++) {
      Application updated = update(environmentId, idOrUid, change);
      if (updated != null) {
        return new UpsertResult<>(updated, false);
      }
      if (idOrUid.startsWith(IdKind.APPLICATION.prefix())) {
        return null;
      }
      UpsertResult<Application> saved = createOrGet(environmentId, fresh);
      if (saved.created()) {
        return saved;
      }
      if (!idOrUid.equals(fresh.uid())) {
        break;
      }
    }
    throw new UidTaken(String.valueOf(fresh.uid()));
  }

  /**
   * Marks the application and its endpoints as deleted and frees their uids; its API keys stop
   * working.
   *
   * @return false if it does not exist
   */
  public boolean delete(String environmentId, String idOrUid) {
    Actor actor = Actor.current();
    Optional<Deleted> deleted =
        database.write(handle -> deleteRow(handle, actor, environmentId, idOrUid));
    deleted.ifPresent(
        d -> events.publish(new ApplicationChanged(d.id(), Change.DELETED, d.endpoints())));
    return deleted.isPresent();
  }

  private record Deleted(ApplicationId id, List<EndpointId> endpoints) {}

  private Optional<Deleted> deleteRow(
      Handle handle, Actor actor, String environmentId, String idOrUid) {
    Optional<Application> locked = lock(handle, environmentId, idOrUid);
    if (locked.isEmpty()) {
      return Optional.empty();
    }
    ApplicationId id = locked.get().id();
    List<EndpointId> endpoints =
        handle
            .createQuery(
                "SELECT id FROM endpoints WHERE application_id = :id AND deleted_at IS NULL")
            .bind("id", id)
            .mapTo(Id.class)
            .map(EndpointId::new)
            .list();
    events.publish(handle, new ApplicationDeleted(locked.get(), endpoints));
    long now = time.nowMs();
    for (String sql :
        List.of(
            """
            UPDATE endpoints SET deleted_at = :now, updated_at = :now, version = version + 1
            WHERE application_id = :id AND deleted_at IS NULL
            """,
            "UPDATE api_keys SET revoked_at = :now WHERE application_id = :id AND revoked_at IS"
                + " NULL",
            "UPDATE applications SET deleted_at = :now, updated_at = :now WHERE id = :id")) {
      handle.createUpdate(sql).bind("id", id).bind("now", now).execute();
    }
    AuditRows.ofApplication(
        handle, ids.next(), actor, AuditAction.APPLICATION_DELETE, id, id.text());
    return Optional.of(new Deleted(id, endpoints));
  }
}
