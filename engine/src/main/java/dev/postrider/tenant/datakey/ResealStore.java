package dev.postrider.tenant.datakey;

import dev.postrider.crypto.Keyring;
import dev.postrider.crypto.SealedColumn;
import dev.postrider.crypto.SecretUnreadable;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Seals secrets of an application with its own data key that are sealed with another one. */
public final class ResealStore {
  /** Rows that are sealed again in one transaction. */
  static final int PAGE = 100;

  private static final System.Logger LOG = System.getLogger(ResealStore.class.getName());

  private final Database database;
  private final Keyring keyring;
  private final List<SealedColumn> columns;

  public ResealStore(Database database, Keyring keyring, List<SealedColumn> columns) {
    this.database = database;
    this.keyring = keyring;
    this.columns = new CopyOnWriteArrayList<>(columns);
  }

  /** Adds columns of the server; before the first page is read. */
  public void also(List<SealedColumn> more) {
    columns.addAll(more);
  }

  /** After which row of which column the next page begins. */
  public record Place(int column, Id row) {
    public static final Place FIRST = new Place(0, Id.ZERO);
  }

  @SuppressWarnings("ArrayRecordComponent") // from the read to the write
  private record Value(SealedColumn column, Id row, byte[] sealed, byte[] context) {}

  /**
   * Secrets that are to be replaced by what is sealed with another key.
   *
   * @param next null if these are the last ones of the application
   */
  public record Page(List<Replacement> replacements, @Nullable Place next) {}

  /** One secret, before and after. */
  @SuppressWarnings("ArrayRecordComponent") // from the read to the write
  public record Replacement(SealedColumn column, Id row, byte[] before, byte[] after) {}

  /**
   * Reads and seals the next secrets. Not called in a transaction, for it may create the data key.
   *
   * @param application one that has a data key of its own
   */
  public Page next(Application application, Place from) {
    for (int at = from.column(); at < columns.size(); at++) {
      Id after = at == from.column() ? from.row() : Id.ZERO;
      List<Value> values = values(application, columns.get(at), after);
      if (!values.isEmpty()) {
        return new Page(replacements(application, values), new Place(at, values.getLast().row()));
      }
    }
    return new Page(List.of(), null);
  }

  private List<Value> values(Application application, SealedColumn column, Id after) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT id, <owner> AS owner, <part> AS part, <column> AS sealed_value FROM <table>
                     WHERE <of> AND id > :after AND <column> IS NOT NULL ORDER BY id LIMIT :limit
                    """
                        .replace("<owner>", column.owner())
                        .replace("<part>", column.part() == null ? "''" : column.part())
                        .replace("<column>", column.column())
                        .replace("<table>", column.table())
                        .replace("<of>", column.ofApplication()))
                .bind("app", application.id())
                .bind("after", after)
                .bind("limit", PAGE)
                .map(Row.mapper(database.dialect(), row -> value(column, row)))
                .list());
  }

  private static Value value(SealedColumn column, Row row) throws SQLException {
    return new Value(
        column,
        row.id("id"),
        row.bytes("sealed_value"),
        column.context().of(row.id("owner"), row.text("part")));
  }

  private List<Replacement> replacements(Application application, List<Value> values) {
    List<Replacement> replacements = new ArrayList<>();
    for (Value value : values) {
      try {
        if (Keyring.isOfEnvironment(value.sealed())) {
          byte[] plain = keyring.open(application.environmentId(), value.sealed(), value.context());
          replacements.add(
              new Replacement(
                  value.column(),
                  value.row(),
                  value.sealed(),
                  keyring.seal(application.keyScope(), plain, value.context())));
        }
      } catch (SecretUnreadable e) {
        LOG.log(
            Level.WARNING,
            "a secret of {0} in {1} cannot be encrypted with the data key of its application: {2}",
            application.id(),
            value.column().table(),
            e.getMessage());
      }
    }
    return replacements;
  }

  /** Writes them, except those that were changed meanwhile; returns how many were written. */
  public static int write(Handle handle, List<Replacement> replacements) {
    int written = 0;
    for (Replacement one : replacements) {
      written +=
          handle
              .createUpdate(
                  "UPDATE <table> SET <column> = :after WHERE id = :id AND <column> = :before"
                      .replace("<table>", one.column().table())
                      .replace("<column>", one.column().column()))
              .bind("after", one.after())
              .bind("id", one.row())
              .bind("before", one.before())
              .execute();
    }
    return written;
  }
}
