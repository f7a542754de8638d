package dev.postrider.delivery.store;

import static dev.postrider.testkit.builder.AttemptBuilder.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Circuit;
import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.Finish;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.CountedConnection;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.TestLanes;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The statements of claiming and finishing, as both databases run them. */
class HotStatementsTest {
  private static final int WAITING = 20;

  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  private final CountedConnection counted = new CountedConnection();
  private Database database;
  private HotStatements statements;
  private Fixture fixture;
  private Application application;
  private Endpoint endpoint;

  private void open(Databases.Kind kind) {
    database = kind.open(folder);
    statements = HotStatements.of(database.dialect());
    fixture = new Fixture(database, time);
    application = fixture.application("acme");
    endpoint = fixture.endpoint(application, EndpointSpec.of("https://example.com/"));
    for (int i = 0; i < WAITING; i++) {
      insertWaiting();
    }
  }

  @AfterEach
  void close() {
    if (database != null) {
      database.close();
    }
  }

  private void insertWaiting() {
    Id message = fixture.ids.next();
    database.write(
        handle -> {
          handle
              .createUpdate(
                  "INSERT INTO messages (application_id, id, event_type, payload) VALUES (:app,"
                      + " :id, 'a.b', :payload)")
              .bind("app", application.id())
              .bind("id", message)
              .bind("payload", new byte[2])
              .execute();
          return handle
              .createUpdate(
                  "INSERT INTO deliveries (application_id, id, message_id, lane_id, status,"
                      + StoredCodes.sql(
                          " next_attempt_at, created_at) VALUES (:app, :id, :message, :lane,"
                              + " {PENDING}, :now,")
                      + " :now)")
              .bind("app", application.id())
              .bind("id", DeliveryIds.of(message, endpoint.id().value(), Id.ZERO))
              .bind("message", message)
              .bind("lane", endpoint.id())
              .bind("now", time.nowMs())
              .execute();
        });
  }

  private List<Delivery> claim() {
    HotStatements.Claim claim =
        new HotStatements.Claim(new Id(7, 7), time.nowMs(), time.nowMs() + 90_000, 1 << 20);
    return database.write(
        handle ->
            statements.claimFree(
                counted.around(handle.getConnection()),
                List.of(new HotStatements.Room(TestLanes.of(endpoint), 100, 1 << 20, null)),
                claim));
  }

  private void sql(String statement) {
    database.write(handle -> handle.execute(statement));
  }

  @ParameterizedTest
  @EnumSource
  void aBatchIsClaimedAndFinishedByOneStatementEachOnPostgres(Databases.Kind kind) {
    open(kind);

    List<Delivery> leased = claim();
    assertThat(leased).hasSize(WAITING);
    List<String> claimed = counted.take();
    List<Finish> batch =
        leased.stream()
            .map(one -> anAttempt().id(fixture.ids.next()).sentAtMs(time.nowMs()).delivered(one))
            .toList();
    int held =
        database.write(
            handle -> statements.finishIfHeld(counted.around(handle.getConnection()), batch));

    assertThat(held).isEqualTo(WAITING);
    if (database.dialect() == Dialect.POSTGRES) {
      assertThat(claimed).hasSize(1);
      assertThat(counted.take()).hasSize(1);
    }
  }

  /** Whatever made the lane guarded or closed since the claimer looked at it. */
  @ParameterizedTest
  @EnumSource
  void aLaneThatIsNoLongerFreeIsNotClaimed(Databases.Kind kind) {
    open(kind);
    for (String table : List.of("lanes", "endpoints", "applications")) {
      for (String change : changes(table)) {
        String undo = "UPDATE " + table + " SET " + undone(change);
        sql("UPDATE " + table + " SET " + change);
        assertThat(claim()).as("%s: %s", table, change).isEmpty();
        sql(undo);
      }
    }
    assertThat(claim()).as("all undone").hasSize(WAITING);
  }

  private static List<String> changes(String table) {
    return switch (table) {
      case "lanes" ->
          List.of(
              "paused = true",
              "ordered = true",
              "circuit = " + Circuit.OPEN.code(),
              "slow_until = 9000000000000");
      case "endpoints" -> List.of("disabled = true", "deleted_at = 1", "throttle_rate = 5");
      default -> List.of("active = false", "deleted_at = 1", "throttle_rate = 5");
    };
  }

  private static String undone(String change) {
    String column = change.substring(0, change.indexOf(' '));
    return column
        + switch (column) {
          case "active" -> " = true";
          case "circuit" -> " = " + Circuit.CLOSED.code();
          case "slow_until" -> " = 0";
          case "deleted_at", "throttle_rate" -> " = NULL";
          default -> " = false";
        };
  }
}
