package dev.postrider.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.DeliveryStatus;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.delivery.StoredCodes;
import dev.postrider.delivery.UnsettledLeases;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.delivery.lane.LaneRoom;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.delivery.store.RescueStore;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.limit.Share;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.RowlessFixture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Leases of an instance that died, as the rescuer of another one finds and ends them. */
@Timeout(180)
@OnEachDatabase
final class RescuerTest {
  private static final Id DEAD = new Id(7, 7);

  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  private final ManualTime time = new ManualTime();
  private final AtomicInteger writes = new AtomicInteger();
  private Database database;
  private Fixture fixture;
  private RowlessFixture rowless;
  private DeliveryStores stores;
  private Application application;
  private Endpoint endpoint;

  @BeforeEach
  void open() {
    database = kind.open(folder);
    fixture = new Fixture(database, time);
    rowless = new RowlessFixture(database, fixture.ids);
    stores = DeliveryStores.of(counted());
    application = fixture.application("acme");
    endpoint = fixture.endpoint(application, EndpointSpec.of("https://example.com/"));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void sending(int messages) {
    for (int i = 0; i < messages; i++) {
      Id message = rowless.message(application.id().value(), endpoint.id().value());
      rowless.leased(
          DEAD, application.id().value(), time.nowMs() + 90_000, message, endpoint.id().value());
    }
  }

  private static long distinct(List<RescueStore.OpenLease> open) {
    return open.stream().map(one -> one.lease().deliveryId()).distinct().count();
  }

  /** Beside endpoints that do not respond, a commit keeps its lease batch for as long as they. */
  @Test
  void thousandsOfLeaseBatchesAreFound() {
    sending(2_100);

    List<RescueStore.OpenLease> open = stores.rescues().leasesOf(DEAD, 20_000);
    assertThat(open).hasSize(2_100);
    assertThat(distinct(open)).isEqualTo(2_100);
    assertThat(stores.rescues().endedLeases(Set.of(), time.nowMs() + 90_001, 20_000))
        .hasSize(2_100);
    assertThat(stores.rescues().endedLeases(Set.of(DEAD), time.nowMs() + 90_001, 20_000))
        .as("each once, although they have also expired")
        .hasSize(2_100);
    assertThat(stores.rescues().endedLeases(Set.of(), time.nowMs(), 20_000)).isEmpty();
  }

  @Test
  void leasesAreRescuedInTransactionsOfAHundred() {
    sending(250);
    rows(3);
    writes.set(0);

    assertThat(rescuer().rescue(Set.of(DEAD))).isEqualTo(253);
    assertThat(writes).hasValue(3);
    assertThat(count("deliveries WHERE " + StoredCodes.sql("status = {FAILED} AND rescues = 1")))
        .isEqualTo(253);
    assertThat(count("attempts WHERE outcome = " + OutcomeClass.UNKNOWN.code())).isEqualTo(253);
    assertThat(rescuer().rescue(Set.of(DEAD))).isZero();
    assertThat(count("lease_batches")).isZero();
  }

  /** It has a row already, which is never the case: the insert fails with the whole transaction. */
  @Test
  void aLeaseThatCannotBeRescuedDoesNotBlockTheOthers() {
    sending(10);
    Id broken = rowless.message(application.id().value(), endpoint.id().value());
    rowless.leased(
        DEAD, application.id().value(), time.nowMs() + 90_000, broken, endpoint.id().value());
    rowless.row(
        application.id().value(),
        broken,
        endpoint.id().value(),
        DeliveryStatus.PENDING,
        0,
        null,
        time.nowMs());

    assertThat(rescuer().rescue(Set.of(DEAD))).isEqualTo(10);
    assertThat(count("attempts")).isEqualTo(10);
  }

  /** Deliveries with a row, leased by the instance that died. */
  private void rows(int deliveries) {
    for (int i = 0; i < deliveries; i++) {
      Id message = rowless.message(application.id().value());
      rowless.row(
          application.id().value(),
          message,
          endpoint.id().value(),
          DeliveryStatus.PENDING,
          0,
          null,
          time.nowMs());
    }
    database.write(
        handle ->
            handle
                .createUpdate(
                    StoredCodes.sql(
                        "UPDATE deliveries SET status = {SENDING}, leased_by = :dead, lease_until ="
                            + " :until, next_attempt_at = NULL"))
                .bind("dead", DEAD)
                .bind("until", time.nowMs() + 90_000)
                .execute());
  }

  private long count(String what) {
    return database.read(
        handle -> handle.createQuery("SELECT count(*) FROM " + what).mapTo(Long.class).one());
  }

  private Rescuer rescuer() {
    return new Rescuer(
        stores,
        new Rescuer.Members(new Id(8, 8), new Instances(database), Map::of),
        new Lanes(new LaneRoom(new LaneRoom.Limits(10, 10, 1_000_000, new Share(1)), time)),
        new UnsettledLeases(),
        fixture.ids,
        time,
        DeliveryListener.NONE,
        new Rescuer.Settings(RetryPolicy.DEFAULT, Duration.ofSeconds(1), Duration.ofSeconds(1)));
  }

  /** The database, with its transactions counted. */
  private Database counted() {
    return (Database)
        Proxy.newProxyInstance(
            Database.class.getClassLoader(),
            new Class<?>[] {Database.class},
            (_, method, arguments) -> {
              if (method.getName().equals("write")) {
                writes.incrementAndGet();
              }
              try {
                return method.invoke(database, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
