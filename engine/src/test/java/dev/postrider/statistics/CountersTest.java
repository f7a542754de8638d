package dev.postrider.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.maintenance.Pruner;
import dev.postrider.options.RetentionOptions;
import dev.postrider.storage.Database;
import dev.postrider.storage.StorageException;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Counts are written once, by any instance and after any failed write. */
final class CountersTest {
  @TempDir Path folder;

  private final ManualTime time = new ManualTime();

  @ParameterizedTest
  @EnumSource
  void sumsOfTwoInstancesAddUpWrittenOrNot(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      Fixture stores = new Fixture(database, time);
      Application application = stores.application("acme");
      Id lane = stores.endpoint(application, EndpointSpec.of("https://example.com/")).id().value();
      CounterStore store = new CounterStore(database);
      Counters one = new Counters(store, new Id(1, 1), time);
      Counters two = new Counters(store, new Id(1, 2), time);
      one.accepted(application.id().value(), List.of(lane));
      one.flush();
      one.flush();
      one.accepted(application.id().value(), List.of(lane, lane));
      two.accepted(application.id().value(), List.of(lane));
      two.flush();
      StatisticsReader reader = new StatisticsReader(store, one, time);
      assertThat(
              reader.last(application.id(), new EndpointId(lane), Duration.ofHours(1)).accepted())
          .isEqualTo(4);
      assertThat(reader.last(application.id(), null, Duration.ofHours(1)).accepted()).isEqualTo(4);
      assertThat(
              reader.messages(
                  application.id(), Instant.EPOCH, Instant.ofEpochMilli(Long.MAX_VALUE)))
          .isEqualTo(3);
      one.flush();
      assertThat(
              reader.last(application.id(), new EndpointId(lane), Duration.ofHours(1)).accepted())
          .isEqualTo(4);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPartThatIsWrittenTwiceCountsOnce(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      CounterStore store = new CounterStore(database);
      Id application = new Id(7, 7);
      TallySum sum = new TallySum();
      sum.accepted = 3;
      Counters.Part part =
          new Counters.Part(
              1,
              List.of(
                  new Counters.Counted(
                      new Counters.Key(application, Id.ZERO, 60_000), sum.tally())));
      store.append(new Id(1, 1), part);
      store.append(new Id(1, 1), part);
      assertThat(
              store
                  .sum(new CounterStore.Range(application, Id.ZERO, 0, 120_000, new Id(1, 2), 1))
                  .accepted())
          .isEqualTo(3);
    }
  }

  @ParameterizedTest
  @EnumSource
  void countsThatCouldNotBeWrittenAreWrittenNextTime(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      CounterStore store = new CounterStore(database);
      Counters counters = new Counters(store, new Id(1, 1), time);
      Id application = new Id(7, 7);
      counters.accepted(application, List.of());
      database.write(handle -> handle.execute("ALTER TABLE counters RENAME TO away"));
      assertThatThrownBy(counters::flush).isInstanceOf(StorageException.class);
      counters.accepted(application, List.of());
      database.write(handle -> handle.execute("ALTER TABLE away RENAME TO counters"));
      StatisticsReader reader = new StatisticsReader(store, counters, time);
      assertThat(
              reader.messages(
                  new ApplicationId(application),
                  Instant.EPOCH,
                  Instant.ofEpochMilli(Long.MAX_VALUE)))
          .isEqualTo(2);
      counters.flush();
      counters.flush();
      Counters later = new Counters(store, new Id(1, 2), time);
      assertThat(
              new StatisticsReader(store, later, time)
                  .messages(
                      new ApplicationId(application),
                      Instant.EPOCH,
                      Instant.ofEpochMilli(Long.MAX_VALUE)))
          .isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void minutesBecomeHoursAndHoursGo(Databases.Kind kind) {
    try (Database database = kind.open(folder)) {
      Fixture stores = new Fixture(database, time);
      Application application = stores.application("acme");
      Endpoint endpoint = stores.endpoint(application, EndpointSpec.of("https://example.com/"));
      CounterStore store = new CounterStore(database);
      Counters counters = new Counters(store, new Id(1, 1), time);
      for (int minute = 0; minute < 90; minute++) {
        counters.accepted(application.id().value(), List.of(endpoint.id().value()));
        counters.flush();
        time.advance(Duration.ofMinutes(1));
      }
      time.advance(Duration.ofDays(3));
      counters.accepted(application.id().value(), List.of(endpoint.id().value()));
      counters.flush();
      Pruner pruner =
          new Pruner(
              database,
              new RetentionOptions(
                  Duration.ofDays(1),
                  Duration.ofDays(1),
                  Duration.ofDays(1),
                  Duration.ofDays(1),
                  LocalTime.NOON),
              time);
      pruner.pruneNow();
      assertThat(rows(database, "counters")).as("of the lane and the application").isEqualTo(2);
      assertThat(rows(database, "counter_hours")).isBetween(4, 6);
      StatisticsReader reader = new StatisticsReader(store, counters, time);
      assertThat(reader.last(application.id(), endpoint.id(), Duration.ofDays(7)).accepted())
          .isEqualTo(91);
      assertThat(reader.last(application.id(), endpoint.id(), Duration.ofHours(24)).accepted())
          .isEqualTo(1);
      time.advance(Duration.ofDays(100));
      pruner.pruneNow();
      assertThat(rows(database, "counter_hours")).isZero();
      assertThat(rows(database, "counters")).isZero();
    }
  }

  private static int rows(Database database, String table) {
    return database.read(
        handle -> handle.createQuery("SELECT count(*) FROM " + table).mapTo(Integer.class).one());
  }
}
