package dev.postrider.storage.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.id.Id;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.StorageException;
import dev.postrider.storage.postgres.DayPartitions.Day;
import dev.postrider.storage.postgres.DayPartitions.State;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Signals;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DayPartitionsTest {
  private static final LocalDate DAY = LocalDate.of(2020, 2, 29);
  private static final LocalDate OTHER = LocalDate.of(2020, 3, 1);
  private static final Id APP = new Id(7, 7);
  private static final String INSERT =
      "INSERT INTO messages (application_id, id, event_type) VALUES (?, ?, 'a')";

  private PostgresDatabase database;
  private DayPartitions partitions;
  private long random;

  @BeforeEach
  void open() {
    database = new PostgresDatabase(Databases.settings(Databases.freshSchema()));
    database.start();
    database.migrate();
    partitions = database.days();
  }

  @AfterEach
  void close() {
    database.close();
  }

  private Id idOf(LocalDate day) {
    return new Id(Id.floorOf(day.toEpochDay() * 86_400_000L + 1_000).hi(), ++random);
  }

  private static void insert(Connection connection, Id id) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      insert.setObject(1, APP.uuid());
      insert.setObject(2, id.uuid());
      insert.execute();
    }
  }

  private void insert(Id id) {
    database.write(
        handle -> {
          insert(handle.getConnection(), id);
          return null;
        });
  }

  private List<Id> stored() {
    return database.read(
        handle -> handle.createQuery("SELECT id FROM messages ORDER BY id").mapTo(Id.class).list());
  }

  private List<LocalDate> dates() {
    return partitions.days().stream().map(Day::date).toList();
  }

  private Map<String, State> states(LocalDate day) {
    return partitions.days().stream()
        .filter(one -> one.date().equals(day))
        .findFirst()
        .map(Day::states)
        .orElse(Map.of());
  }

  private Connection session() throws SQLException {
    return database.connect("postrider-test", 0);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  // ---- creating ----

  @Test
  void bothTablesHaveTheSameDays() {
    partitions.create(DAY, 3);
    partitions.create(DAY, 2);

    assertThat(partitions.tables()).containsExactly("messages", "attempts");
    assertThat(dates()).containsExactly(DAY, DAY.plusDays(1), DAY.plusDays(2));
    assertThat(partitions.days())
        .allMatch(Day::isAttached)
        .allMatch(day -> day.states().size() == 2);
    assertThat(partitions.days().getFirst().end()).isEqualTo(partitions.days().get(1).first());
  }

  /** Old ids, jumps of the clock, and the first and last id that there can be. */
  @Test
  void anInsertCreatesItsDay() {
    List<Id> ids =
        new ArrayList<>(
            List.of(new Id(0, 1), idOf(DAY), idOf(LocalDate.of(2149, 1, 1)), Id.LARGEST));
    // A tick that no id is generated with: by its bits this is the last millisecond of a day.
    ids.add(1, new Id(Id.floorOf(OTHER.toEpochDay() * 86_400_000L - 1).hi() | 0xFF00_0000L, 5));
    ids.forEach(this::insert);
    ids.forEach(this::insertAgainFails);

    assertThat(stored()).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(dates()).hasSize(4).contains(DAY);
  }

  private void insertAgainFails(Id id) {
    assertThatThrownBy(() -> insert(id))
        .isInstanceOf(StorageException.class)
        .satisfies(e -> assertThat(SqlFaults.of(e)).isEqualTo(SqlFaults.BAD_DATA));
  }

  @Test
  void aDedicatedConnectionReportsAConflictOnce() {
    try (var hot = new PostgresDedicatedConnection(database, "postrider-test", List.of())) {
      Id id = idOf(DAY);
      assertThatThrownBy(() -> hot.run(connection -> inserted(connection, id)))
          .satisfies(e -> assertThat(SqlFaults.of(e)).isEqualTo(SqlFaults.CONFLICT));
      assertThat(hot.<Boolean>run(connection -> inserted(connection, id))).isTrue();
      assertThat(stored()).containsExactly(id);
    }
  }

  private static boolean inserted(Connection connection, Id id) throws SQLException {
    insert(connection, id);
    return true;
  }

  @Test
  void manyInsertsOfOneNewDayCreateItOnce() throws Exception {
    try (ExecutorService callers = Executors.newFixedThreadPool(4)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Id id = idOf(DAY.plusDays(i % 2));
        all.add(callers.submit(() -> insert(id)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
    assertThat(stored()).hasSize(8);
    assertThat(dates()).containsExactly(DAY, OTHER);
  }

  @Test
  void aCreationThatIsKilledLeavesNothing() throws Exception {
    try (Connection killed = session();
        Connection killer = session()) {
      killed.setAutoCommit(false);
      execute(killed, "CREATE TABLE messages_20200229 (LIKE messages)");
      int pid = number(killed, "SELECT pg_backend_pid()");
      execute(killer, "SELECT pg_terminate_backend(" + pid + ")");
      assertThatThrownBy(() -> killed.commit()).isInstanceOf(SQLException.class);
    }
    insert(idOf(DAY));
    assertThat(states(DAY)).containsEntry("messages", State.ATTACHED);
    assertThat(stored()).hasSize(1);
  }

  private static int number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    }
  }

  /** Until the lock is free callers get 503; nothing is half created. */
  @Test
  void aTableThatIsLockedGetsItsDayLater() throws Exception {
    Id id = idOf(DAY);
    try (Connection other = session()) {
      other.setAutoCommit(false);
      execute(other, "LOCK TABLE attempts IN SHARE UPDATE EXCLUSIVE MODE");
      assertThatThrownBy(() -> insert(id)).isInstanceOf(DatabaseUnavailable.class);
      assertThat(states(DAY)).isEmpty();
      other.rollback();
    }
    insert(id);
    assertThat(stored()).containsExactly(id);
  }

  // ---- removing ----

  @Test
  void onlyAnEmptyDayIsRemoved() {
    partitions.create(DAY, 2);
    Id id = idOf(DAY);
    insert(id);

    assertThat(partitions.remove(DAY)).isFalse();
    assertThat(partitions.remove(OTHER)).isTrue();
    assertThat(partitions.remove(OTHER)).as("gone already").isTrue();

    assertThat(dates()).containsExactly(DAY);
    assertThat(stored()).containsExactly(id);
  }

  /** As after a crash between DETACH and DROP. */
  @Test
  void aDetachedDayIsDroppedByTheNextRun() throws Exception {
    partitions.create(DAY, 2);
    try (Connection connection = session()) {
      execute(connection, "ALTER TABLE messages DETACH PARTITION messages_20200229 CONCURRENTLY");
    }
    assertThat(states(DAY)).containsEntry("messages", State.DETACHED);

    assertThat(partitions.remove(DAY)).isTrue();
    assertThat(dates()).containsExactly(OTHER);
  }

  @Test
  void aDetachedDayIsUsedAgainByAnInsert() throws Exception {
    partitions.create(DAY, 1);
    Id before = idOf(DAY);
    insert(before);
    try (Connection connection = session()) {
      execute(connection, "ALTER TABLE messages DETACH PARTITION messages_20200229 CONCURRENTLY");
    }
    Id after = idOf(DAY);
    insert(after);

    assertThat(stored()).containsExactly(before, after);
  }

  /**
   * An old transaction keeps the detach from ending: the day is invisible, nothing else waits, and
   * a later run finishes it.
   */
  @Test
  void aDetachThatIsInterruptedIsFinalizedLater() throws Exception {
    partitions.create(DAY, 2);
    try (Connection old = session()) {
      old.setAutoCommit(false);
      number(old, "SELECT count(*) FROM messages");

      assertThat(partitions.remove(DAY)).isFalse();

      assertThat(states(DAY)).containsEntry("messages", State.DETACHING);
      Id id = idOf(OTHER);
      insert(id);
      assertThat(stored()).containsExactly(id);
      assertThatThrownBy(() -> insert(idOf(DAY))).isInstanceOf(DatabaseUnavailable.class);
      old.commit();
    }
    Signals.poll("the day is gone", () -> partitions.remove(DAY));
    assertThat(dates()).containsExactly(OTHER);
  }

  /** The row is committed after the check that found none: it is found again. */
  @Test
  void aRowThatIsInsertedDuringTheRemovalStays() throws Exception {
    partitions.create(DAY, 1);
    Id late = idOf(DAY);
    try (Connection inserting = session();
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      inserting.setAutoCommit(false);
      insert(inserting, late);
      Future<Boolean> removal = other.submit(() -> partitions.remove(DAY));
      Signals.poll(
          "the detach waits", () -> Objects.equals(states(DAY).get("messages"), State.DETACHING));
      inserting.commit();

      assertThat(removal.get()).isFalse();
    }
    // The detach may have waited too long for its lock: the next call continues.
    assertThat(partitions.remove(DAY)).isFalse();
    assertThat(states(DAY)).containsEntry("messages", State.ATTACHED);
    assertThat(stored()).containsExactly(late);
  }

  @Test
  void twoInstancesRemoveTheSameDays() throws Exception {
    partitions.create(DAY, 4);
    try (ExecutorService instances = Executors.newFixedThreadPool(2)) {
      List<Future<?>> both = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        both.add(
            instances.submit(
                () -> {
                  for (int day = 0; day < 4; day++) {
                    partitions.remove(DAY.plusDays(day));
                  }
                }));
      }
      for (Future<?> one : both) {
        one.get();
      }
    }
    for (int day = 0; day < 4; day++) {
      assertThat(partitions.remove(DAY.plusDays(day))).isTrue();
    }
    assertThat(dates()).isEmpty();
  }
}
