package dev.postrider.inbound.store;

import dev.postrider.audit.Actor;
import dev.postrider.audit.AuditAction;
import dev.postrider.audit.AuditRows;
import dev.postrider.crypto.KeyScope;
import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.SealedColumn;
import dev.postrider.event.EventPublisher;
import dev.postrider.field.FieldJson;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.id.Ids;
import dev.postrider.inbound.compiled.CompiledSource;
import dev.postrider.inbound.compiled.SourceCompiler;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.source.SourceToken;
import dev.postrider.inbound.store.SourceRows.Sealed;
import dev.postrider.inbound.store.SourceSecrets.Fresh;
import dev.postrider.inbound.store.SourceSecrets.Replacement;
import dev.postrider.inbound.store.SourceSecrets.Resealed;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationRows;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.UidTaken;
import dev.postrider.tenant.UpsertResult;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the rows of sources. A source is addressed by its id or by its name. Its
 * application is created with it and stays, with all messages, when the source is deleted.
 */
public final class SourceStore {
  public static final Duration DEFAULT_OVERLAP = Duration.ofHours(24);

  /** Sources in one page of all of an environment. */
  static final int SOURCES_AT_ONCE = 500;

  /** How often a change is retried because of a concurrent change. */
  private static final int ROUNDS = 10;

  public static final List<SealedColumn> SEALED = SourceSealing.COLUMNS;

  private final Database database;
  private final SourceSecrets secrets;
  private final ApplicationStore applications;
  private final SourceCompiler maker;
  private final Ids ids;
  private final TimeSource time;
  private final EventPublisher events;

  public SourceStore(
      Database database,
      Keyring keyring,
      ApplicationStore applications,
      SourceCompiler maker,
      Ids ids,
      TimeSource time,
      EventPublisher events) {
    this.database = database;
    this.secrets = new SourceSecrets(database, new SourceSealing(keyring), ids, time);
    this.applications = applications;
    this.maker = maker;
    this.ids = ids;
    this.time = time;
    this.events = events;
  }

  /**
   * A new source with its application.
   *
   * @throws UidTaken if the environment has a source of that name
   * @throws dev.postrider.json.InvalidFields if the form or a secret is not valid
   */
  public Source create(String environmentId, SourceForm form, SecretChange secrets) {
    Source created = insert(environmentId, form, secrets);
    if (created == null) {
      throw new UidTaken(form.name());
    }
    return created;
  }

  /** Creates or updates the source; nothing is written if it is already up to date. */
  public UpsertResult<Source> upsert(String environmentId, SourceForm form, SecretChange secrets) {
    for (int round = 1; round <= ROUNDS; round++) {
      Source updated = update(environmentId, form.name(), _ -> form, secrets);
      if (updated != null) {
        return new UpsertResult<>(updated, false);
      }
      Source created = insert(environmentId, form, secrets);
      if (created != null) {
        return new UpsertResult<>(created, true);
      }
    }
    throw new UidTaken(form.name());
  }

  private @Nullable Source insert(String environmentId, SourceForm form, SecretChange secrets) {
    Set<String> names = secrets.namesAfter(List.of());
    check(environmentId, form, secrets, names);
    refuseWithoutSecret(form, names);
    Application owner = applicationOf(environmentId, form.name());
    Id application = owner.id().value();
    Id id = ids.next();
    List<Fresh> sealed = this.secrets.seal(owner.keyScope(), id, secrets.lists());
    Optional<Source> created =
        database.write(
            handle -> {
              int inserted =
                  handle
                      .createUpdate(
                          """
                          INSERT INTO sources (id, environment_id, name, application_id, form, created_at, updated_at)
                          VALUES (:id, :environment, :name, :application, :form, :now, :now)
                          ON CONFLICT DO NOTHING
                          """)
                      .bind("id", id)
                      .bind("environment", environmentId)
                      .bind("name", form.name())
                      .bind("application", application)
                      .bind("form", FieldJson.write(SourceFields.ALL, form.values()))
                      .bind("now", time.nowMs())
                      .execute();
              if (inserted == 0) {
                return Optional.<Source>empty();
              }
              this.secrets.add(handle, id, sealed);
              setEventTtl(handle, application, form);
              SourceRows.countChange(handle);
              return SourceRows.find(handle, database.dialect(), environmentId, form.name());
            });
    created.ifPresent(_ -> events.publish(new SourcesChanged()));
    return created.orElse(null);
  }

  /**
   * @param names of the secrets that the source has afterwards
   */
  private void check(
      String environmentId, SourceForm form, SecretChange secrets, Set<String> names) {
    long eventTypes = names.stream().filter(name -> !name.equals(SecretChange.ALL_OTHERS)).count();
    if (eventTypes > SecretChange.MAX_EVENT_TYPES) {
      throw new InvalidFields(tooManyEventTypes());
    }
    maker.check(environmentId, form, secrets, eventTypes > 0);
  }

  private static Problem tooManyEventTypes() {
    return Problem.inBody(
        "eventTypeSecrets",
        "may have at most %d event types; use prefixes such as invoice.*"
            .formatted(SecretChange.MAX_EVENT_TYPES));
  }

  /** It would reject every request without an obvious reason. */
  private void refuseWithoutSecret(SourceForm form, Set<String> names) {
    if (names.isEmpty() && maker.needsSecret(form)) {
      throw new InvalidFields(
          new Problem(
              List.of("body", "secret"),
              "is required: the scheme %s verifies requests with the secret of the provider"
                  .formatted(form.verify()),
              Problem.MISSING));
    }
  }

  private Application applicationOf(String environmentId, String name) {
    return applications.createOrGet(environmentId, ApplicationSpec.named(name, name)).value();
  }

  /** Which data key the secrets of the source are encrypted with. */
  private KeyScope scopeOf(Source source) {
    Application owner =
        applications.find(source.environmentId(), source.applicationId().text(IdKind.APPLICATION));
    return owner == null ? KeyScope.ofEnvironment(source.environmentId()) : owner.keyScope();
  }

  public @Nullable Source find(String environmentId, String idOrName) {
    return database
        .read(handle -> SourceRows.find(handle, database.dialect(), environmentId, idOrName))
        .orElse(null);
  }

  /** A source, and the application that its messages belong to. */
  public record Named(Id id, String name, Id applicationId) {}

  /** The sources of an environment, in pages. */
  public Iterable<List<Named>> pages(String environmentId) {
    return () ->
        new Iterator<>() {
          private @Nullable Id after = Id.ZERO;

          @Override
          public boolean hasNext() {
            return after != null;
          }

          @Override
          public List<Named> next() {
            if (after == null) {
              throw new NoSuchElementException();
            }
            List<Named> page = page(environmentId, after);
            after = page.size() < SOURCES_AT_ONCE ? null : page.getLast().id();
            return page;
          }
        };
  }

  private List<Named> page(String environmentId, Id after) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT id, name, application_id FROM sources WHERE environment_id ="
                        + " :environment AND id > :after ORDER BY id LIMIT :most")
                .bind("environment", environmentId)
                .bind("after", after)
                .bind("most", SOURCES_AT_ONCE)
                .map(
                    Row.mapper(
                        database.dialect(),
                        row -> new Named(row.id("id"), row.text("name"), row.id("application_id"))))
                .list());
  }

  public Keyset.Page<Source> list(String environmentId, Keyset<Id> keyset) {
    String sql =
        """
        SELECT <columns> FROM sources WHERE environment_id = :environment <from>
        ORDER BY id <way> LIMIT :fetch
        """;
    return database.snapshot(
        handle -> {
          var query =
              handle
                  .createQuery(
                      keyset.apply(
                          sql.replace("<columns>", SourceRows.COLUMNS)
                              .replace(
                                  "<from>", keyset.from() == null ? "" : "AND id <beyond> :from")))
                  .bind("environment", environmentId)
                  .bind("fetch", keyset.fetch());
          if (keyset.from() != null) {
            query.bind("from", keyset.from());
          }
          List<Source> rows =
              query.map(Row.mapper(database.dialect(), SourceRows::read)).list().stream()
                  .map(source -> SourceRows.withNotes(handle, database.dialect(), source))
                  .toList();
          return keyset.page(rows);
        });
  }

  /**
   * Changes a source; its name stays.
   *
   * @return the source afterwards; null if it does not exist
   */
  public @Nullable Source update(
      String environmentId,
      String idOrName,
      UnaryOperator<SourceForm> change,
      SecretChange secrets) {
    for (int round = 1; round <= ROUNDS; round++) {
      Source before = find(environmentId, idOrName);
      if (before == null) {
        return null;
      }
      SourceForm form = change.apply(before.form());
      if (!form.name().equals(before.form().name())) {
        throw new InvalidFields(
            Problem.inBody("name", "cannot be changed after creation; create another source"));
      }
      Set<String> names = secrets.namesAfter(before.secrets());
      check(environmentId, form, secrets, names);
      if (!secrets.isEmpty() || !form.verify().equals(before.form().verify())) {
        refuseWithoutSecret(form, names);
      }
      Application application = applicationOf(environmentId, before.form().name());
      KeyScope scope = application.keyScope();
      boolean moved = !application.id().value().equals(before.applicationId());
      Replacement replacement = this.secrets.replacement(before, scope, secrets);
      if (form.equals(before.form()) && !moved && replacement.isEmpty()) {
        return before;
      }
      // A purge of the former application deletes its data key.
      Resealed resealed = moved ? this.secrets.resealed(before, scope) : Resealed.NONE;
      if (database.write(
          handle -> {
            boolean written = write(handle, before, form, application.id().value(), replacement);
            if (written) {
              SourceSecrets.write(handle, before.id(), resealed);
            }
            return written;
          })) {
        events.publish(new SourcesChanged());
        return find(environmentId, idOrName);
      }
    }
    throw new IllegalStateException("the source is being changed by other requests; try again");
  }

  /**
   * Disables it, without creating an application for it; does nothing if it has changed meanwhile.
   */
  public void disable(Source source) {
    SourceForm form = source.form().with(SourceFields.ENABLED, false);
    boolean written =
        database.write(
            handle -> write(handle, source, form, source.applicationId(), Replacement.NONE));
    if (written) {
      events.publish(new SourcesChanged());
    }
  }

  /** Whether the change of the secrets changes nothing. */
  public boolean hasSecrets(Source source, SecretChange secrets) {
    KeyScope unused = KeyScope.ofEnvironment(source.environmentId());
    return this.secrets.replacement(source, unused, secrets).isEmpty();
  }

  /** Its handlers and queues are those of the application. */
  private static void setEventTtl(Handle handle, Id application, SourceForm form) {
    ApplicationRows.setEventTtl(
        handle, new ApplicationId(application), form.get(SourceFields.EVENT_TTL_MS));
  }

  private boolean write(
      Handle handle, Source before, SourceForm form, Id application, Replacement replacement) {
    int updated =
        handle
            .createUpdate(
                """
                UPDATE sources SET form = :form, application_id = :application, version = version + 1, updated_at = :now
                WHERE id = :id AND version = :version
                """)
            .bind("id", before.id())
            .bind("version", before.version())
            .bind("form", FieldJson.write(SourceFields.ALL, form.values()))
            .bind("application", application)
            .bind("now", time.nowMs())
            .execute();
    if (updated == 0) {
      return false;
    }
    secrets.replace(handle, before.id(), replacement);
    setEventTtl(handle, application, form);
    SourceRows.countChange(handle);
    return true;
  }

  /**
   * Adds this secret, and expires the old ones for the same event types after the overlap.
   *
   * @param eventTypes an event type or prefix, or {@link SecretChange#ALL_OTHERS}
   * @return the source afterwards; null if it does not exist
   */
  public @Nullable Source rotate(
      String environmentId,
      String idOrName,
      String eventTypes,
      SourceSecret secret,
      Duration overlap) {
    Source source = find(environmentId, idOrName);
    if (source == null) {
      return null;
    }
    SecretChange change = new SecretChange(Map.of(eventTypes, List.of(secret)), false);
    check(environmentId, source.form(), change, change.namesAfter(source.secrets()));
    if (!secrets.rotate(source, scopeOf(source), eventTypes, secret, overlap)) {
      return null;
    }
    events.publish(new SourcesChanged());
    return find(environmentId, idOrName);
  }

  /** Stores a secret from the handshake of a provider, unless the source has one meanwhile. */
  public boolean learn(Source source, SourceSecret secret) {
    boolean learned = secrets.learn(source, scopeOf(source), secret);
    if (learned) {
      events.publish(new SourcesChanged());
    }
    return learned;
  }

  /**
   * @return false if there is none
   */
  public boolean delete(String environmentId, String idOrName) {
    Actor actor = Actor.current();
    boolean deleted =
        database.write(
            handle -> {
              Source source =
                  SourceRows.find(handle, database.dialect(), environmentId, idOrName).orElse(null);
              if (source == null) {
                return false;
              }
              for (String sql :
                  List.of(
                      "DELETE FROM source_secrets WHERE source_id = :id",
                      "DELETE FROM cron_ticks WHERE source_id = :id",
                      "DELETE FROM sources WHERE id = :id")) {
                handle.createUpdate(sql).bind("id", source.id()).execute();
              }
              ApplicationRows.setEventTtl(handle, new ApplicationId(source.applicationId()), null);
              SourceRows.countChange(handle);
              AuditRows.ofEnvironment(
                  handle,
                  ids.next(),
                  actor,
                  AuditAction.SOURCE_DELETE,
                  environmentId,
                  source.id().text(IdKind.SOURCE));
              return true;
            });
    if (deleted) {
      events.publish(new SourcesChanged());
    }
    return deleted;
  }

  // ---- the secret URL ----

  /**
   * From now on the source is reachable only with this token, and with its old one until the
   * overlap is over.
   */
  public boolean setToken(Source source, SourceToken token, Duration overlap) {
    boolean set = secrets.setToken(source, scopeOf(source), token, overlap);
    if (set) {
      events.publish(new SourcesChanged());
    }
    return set;
  }

  /** The token of the secret URL; null if the source has none. */
  public @Nullable String token(Source source) {
    return secrets.token(source);
  }

  // ---- for the source cache ----

  /** All sources with their secrets, read in one snapshot. */
  public record All(
      long version,
      List<Source> sources,
      Map<Id, List<Sealed>> secrets,
      List<SourceRows.TokenHash> tokens) {}

  public long changes() {
    return database.read(SourceRows::changes);
  }

  public All all() {
    return database.snapshot(
        handle ->
            new All(
                SourceRows.changes(handle),
                handle
                    .createQuery("SELECT " + SourceRows.COLUMNS + " FROM sources ORDER BY id")
                    .map(Row.mapper(database.dialect(), SourceRows::read))
                    .list(),
                SourceRows.allSecrets(handle, database.dialect()),
                SourceRows.tokens(handle, database.dialect())));
  }

  public CompiledSource open(Source source, List<Sealed> sealed) {
    return maker.open(SourceRows.with(source, sealed), secrets.open(source, sealed));
  }
}
