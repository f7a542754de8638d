package dev.postrider.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.storage.Keyset;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.OnEachDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Lists over all applications, with rows that the test wrote. */
@OnEachDatabase
final class MergedListsTest {
  private static final int FIRST_SECOND = 1_700_000_000;

  @Parameter Databases.Kind kind;
  @TempDir Path folder;
  private Database database;
  private EnvironmentDeliveryReader reader;
  private final Random random = new Random(7);

  @BeforeEach
  void open() {
    database =
        switch (kind) {
          case SQLITE -> Databases.sqlite(folder);
          case POSTGRES -> Databases.postgres();
        };
    reader = new EnvironmentDeliveryReader(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private record Delivery(Id applicationId, Id id, @Nullable Long due, @Nullable Long dead) {}

  private List<Id> applications(String environment, int number) {
    List<Id> ids = new ArrayList<>();
    database.write(
        handle -> {
          for (int n = 0; n < number; n++) {
            Id id = new Id(random.nextLong() >>> 1, random.nextLong());
            ids.add(id);
            handle
                .createUpdate(
                    "INSERT INTO applications (id, environment_id, name, created_at, updated_at)"
                        + " VALUES (:id, :environment, 'a', 0, 0)")
                .bind("id", id)
                .bind("environment", environment)
                .execute();
          }
          return 0;
        });
    return ids;
  }

  /** One each second, in turn: waiting, dead, or neither. */
  private List<Delivery> deliveries(List<Id> applications, int number) {
    List<Delivery> rows = new ArrayList<>();
    for (int n = 0; n < number; n++) {
      Id id = Id.floorOf((FIRST_SECOND + n) * 1_000L);
      Id unique = new Id(id.hi(), random.nextLong());
      rows.add(
          new Delivery(
              applications.get(random.nextInt(applications.size())),
              unique,
              n % 5 < 2 ? 1L : null,
              n % 5 == 2 ? 1L : null));
    }
    insert(rows);
    return rows;
  }

  private void insert(List<Delivery> rows) {
    database.write(
        handle -> {
          PreparedBatch batch =
              handle.prepareBatch(
                  """
                  INSERT INTO deliveries (application_id, id, message_id, lane_id, status, created_at, next_attempt_at, dead_at)
                  VALUES (:application, :id, :id, :id, :status, 0, :due, :dead)
                  """);
          for (Delivery row : rows) {
            DeliveryStatus status =
                row.due() != null
                    ? DeliveryStatus.PENDING
                    : row.dead() != null ? DeliveryStatus.DEAD_LETTER : DeliveryStatus.CANCELED;
            batch
                .bind("application", row.applicationId())
                .bind("id", row.id())
                .bind("status", status.code())
                .bind("due", row.due())
                .bind("dead", row.dead())
                .add();
          }
          return batch.execute().length;
        });
  }

  private static EnvironmentDeliveryReader.Filter of(
      String environment, Set<DeliveryStatus> statuses) {
    return new EnvironmentDeliveryReader.Filter(environment, statuses, null, null, null, null);
  }

  private List<Id> all(EnvironmentDeliveryReader.Filter filter, boolean ascending, int limit) {
    List<Id> found = new ArrayList<>();
    Keyset<Id> keyset = Keyset.first(limit, ascending);
    for (int pages = 0; pages < 1_000; pages++) {
      Keyset.Found<Id, EnvironmentDeliveryReader.Listed> page = reader.list(filter, keyset);
      page.page().items().forEach(item -> found.add(item.delivery().id()));
      if (page.page().done()) {
        return found;
      }
      assertThat(page.reached()).as("the page ended early").isNull();
      keyset = new Keyset<>(limit, found.getLast(), false, ascending);
    }
    throw new AssertionError("the list does not end");
  }

  @Test
  void pagesContainEachOpenDeliveryOnceInItsOrder() {
    List<Id> mine = applications("mine", 60);
    List<Delivery> rows = deliveries(mine.subList(0, 45), 600);
    deliveries(applications("other", 60), 200);
    for (boolean ascending : new boolean[] {true, false}) {
      Comparator<Id> order = ascending ? Comparator.naturalOrder() : Comparator.reverseOrder();
      for (int limit : new int[] {13, 100}) {
        assertThat(all(of("mine", EnvironmentDeliveryReader.OPEN), ascending, limit))
            .isEqualTo(
                rows.stream()
                    .filter(row -> row.due() != null || row.dead() != null)
                    .map(Delivery::id)
                    .sorted(order)
                    .toList());
        assertThat(all(of("mine", Set.of(DeliveryStatus.DEAD_LETTER)), ascending, limit))
            .isEqualTo(
                rows.stream()
                    .filter(row -> row.dead() != null)
                    .map(Delivery::id)
                    .sorted(order)
                    .toList());
      }
    }
    assertThat(reader.totals("mine"))
        .isEqualTo(new EnvironmentDeliveryReader.Totals(240, 120, false));
  }

  /** As many deliveries as one page may read, newer and older ones, of another environment. */
  @Test
  void deliveriesOfOtherEnvironmentsCostNothing() {
    List<Id> other = applications("other", 3);
    deliveries(other, EnvironmentDeliveryReader.MAX_SCANNED * 3);
    List<Delivery> mine = deliveries(applications("mine", 1), 3);
    deliveries(other, 1_000);
    assertThat(all(of("mine", EnvironmentDeliveryReader.OPEN), false, 10))
        .containsExactly(mine.get(2).id(), mine.get(1).id(), mine.get(0).id());
    assertThat(reader.totals("mine")).isEqualTo(new EnvironmentDeliveryReader.Totals(2, 1, false));
    assertThat(reader.totals("other"))
        .as("counting ends at the maximum")
        .isEqualTo(
            new EnvironmentDeliveryReader.Totals(
                EnvironmentDeliveryReader.MAX_SCANNED, 6_200, true));
  }

  /** More applications than one statement finds. */
  @Test
  void applicationsAreFoundInPages() {
    List<Id> mine = applications("mine", EnvironmentDeliveryReader.APPLICATIONS_AT_ONCE + 50);
    List<Delivery> rows = new ArrayList<>();
    for (int n = 0; n < mine.size(); n++) {
      Id id = Id.floorOf((FIRST_SECOND + n) * 1_000L);
      rows.add(new Delivery(mine.get(n), id, 1L, null));
    }
    insert(rows);
    assertThat(all(of("mine", Set.of(DeliveryStatus.PENDING)), true, 250))
        .isEqualTo(rows.stream().map(Delivery::id).toList());
    assertThat(reader.totals("mine"))
        .isEqualTo(new EnvironmentDeliveryReader.Totals(rows.size(), 0, false));
  }
}
