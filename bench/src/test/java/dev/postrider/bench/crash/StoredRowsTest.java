package dev.postrider.bench.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.id.Id;
import dev.postrider.storage.sqlite.SqliteDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each check of the tables notices what it is for; the schema is the server's own. */
class StoredRowsTest {
  private static final String SCHEMA = "/db/sqlite/V001__schema.sql";

  @TempDir private Path folder;

  @BeforeEach
  void fill() throws IOException, SQLException {
    try (InputStream schema = SqliteDatabase.class.getResourceAsStream(SCHEMA)) {
      change(new String(schema.readAllBytes(), StandardCharsets.UTF_8));
    }
    change(
        """
        INSERT INTO messages (application_id, id, event_type) VALUES (x'0a', x'01', 'crash.test');
        INSERT INTO idempotency_0 VALUES (x'0a', x'02', x'03', x'01', 0, NULL);
        INSERT INTO deliveries (application_id, id, message_id, lane_id, status, created_at, finished_at)
          VALUES (x'0a', x'00000000000000000000000000000010', x'01', x'0b', {DELIVERED}, 0, 7);
        INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual,
            outcome, latency_ms, sent_at, url)
          VALUES (x'0a', x'01', x'00000000000000000000000000000010', 1, x'20', x'0b', 0, {UNKNOWN}, 0, 0, ''),
            (x'0a', x'01', x'00000000000000000000000000000010', 2, x'21', x'0b', 0, {SUCCESS}, 0, 0, '');
        """);
  }

  private void change(String sql) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("postrider.db"));
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(StoredCodes.sql(sql));
    }
  }

  private StoredRows rows() {
    return new StoredRows(TrialDatabase.sqlite(folder));
  }

  @Test
  void soundTablesHaveNoProblem() {
    assertThat(Files.exists(folder.resolve("postrider.db"))).isTrue();
    assertThat(rows().problems(1)).isEmpty();
    assertThat(rows().messages()).isOne();
    assertThat(rows().undelivered()).isZero();
    assertThat(rows().rescued()).isOne();
    assertThat(rows().successes()).singleElement().asString().endsWith("#2");
    assertThat(rows().endings().values())
        .containsExactly(new StoredRows.Ending(DeliveryStatus.DELIVERED, 7));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          DELETE FROM messages                                  | deliveries whose message does not exist
          DELETE FROM messages                                  | idempotency keys whose message does not exist
          DELETE FROM idempotency_0                             | messages without an idempotency key
          UPDATE messages SET event_id = 'e'                    | event ids whose message does not exist, or messages without their event id
          INSERT INTO event_ids VALUES (x'0a', 'e', x'01')      | event ids whose message does not exist, or messages without their event id
          DELETE FROM deliveries                                | attempts whose delivery does not exist
          DELETE FROM deliveries                                | messages that do not have one delivery per endpoint
          UPDATE deliveries SET status = {FAILED}               | deliveries with a status other than delivered
          INSERT INTO lease_batches VALUES (x'0c', x'0d', 0, x'') | lease batches that were not deleted
          UPDATE deliveries SET lease_until = 5                 | deliveries with the status delivered that are still leased or due
          UPDATE deliveries SET next_attempt_at = 5             | deliveries with the status delivered that are still leased or due
          DELETE FROM attempts WHERE outcome = {SUCCESS}        | deliveries with the status delivered and not exactly one successful attempt
          UPDATE attempts SET outcome = {SUCCESS}               | deliveries with the status delivered and not exactly one successful attempt
          UPDATE attempts SET outcome = CASE outcome WHEN {SUCCESS} THEN {UNKNOWN} ELSE {SUCCESS} END | attempts after a successful attempt of the same delivery
          """)
  void eachCheckFindsItsInconsistency(String change, String meaning) throws SQLException {
    change(change);

    assertThat(rows().problems(1)).anyMatch(problem -> problem.endsWith(" " + meaning));
  }

  private static final Id MESSAGE = new Id(1, 1);
  private static final Id LANE = new Id(2, 2);
  private static final Id DELIVERY = DeliveryIds.of(MESSAGE, LANE, Id.ZERO);

  private static String hex(Id id) {
    return "x'" + HexFormat.of().formatHex(id.bytes()) + "'";
  }

  /** One more message, whose delivery succeeded at once. */
  private void storeRowless(String targets) throws SQLException {
    change(
        """
        INSERT INTO messages (application_id, id, event_type, targets) VALUES (x'0a', %1$s, 'crash.test', %4$s);
        INSERT INTO idempotency_0 VALUES (x'0a', x'05', x'03', %1$s, 0, NULL);
        INSERT INTO attempts (application_id, message_id, delivery_id, number, id, lane_id, manual,
            outcome, latency_ms, sent_at, url)
          VALUES (x'0a', %1$s, %2$s, 1, x'22', %3$s, 0, {SUCCESS}, 0, 0, '');
        """
            .formatted(hex(MESSAGE), hex(DELIVERY), hex(LANE), targets));
  }

  @Test
  void aFirstAttemptWithoutARowIsNamedByItsMessage() throws SQLException {
    storeRowless(hex(LANE));
    assertThat(rows().problems(1)).isEmpty();

    change("UPDATE messages SET targets = NULL");
    assertThat(rows().problems(1))
        .containsExactly("1 deliveries without a row that their message does not name");
  }

  @Test
  void aSuccessWithoutARowGetsNone() throws SQLException {
    storeRowless(hex(LANE));
    change(
        """
        INSERT INTO deliveries (application_id, id, message_id, lane_id, status, created_at, finished_at)
          VALUES (x'0a', %s, %s, %s, {DELIVERED}, 0, 7)
        """
            .formatted(hex(DELIVERY), hex(MESSAGE), hex(LANE)));

    assertThat(rows().problems(1))
        .containsExactly("1 deliveries that succeeded without a row and have one");
  }
}
