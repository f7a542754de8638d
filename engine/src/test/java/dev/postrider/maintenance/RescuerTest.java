package dev.postrider.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.store.DeliveryStores;
import dev.postrider.delivery.store.LeaseStore;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.id.Id;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.RowlessFixture;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
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
  private Database database;
  private Fixture fixture;
  private RowlessFixture rowless;
  private LeaseStore leases;
  private Application application;
  private Endpoint endpoint;

  @BeforeEach
  void open() {
    database = kind.open(folder);
    fixture = new Fixture(database, time);
    rowless = new RowlessFixture(database, fixture.ids);
    leases = DeliveryStores.of(database).leases();
    application = fixture.application("acme");
    endpoint = fixture.endpoint(application, EndpointSpec.of("https://example.com/"));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void sending(int messages) {
    for (int i = 0; i < messages; i++) {
      Id message = rowless.message(application.id(), endpoint.id());
      rowless.leased(DEAD, application.id(), time.nowMs() + 90_000, message, endpoint.id());
    }
  }

  private static long distinct(List<LeaseStore.OpenLease> open) {
    return open.stream().map(one -> one.lease().deliveryId()).distinct().count();
  }

  /** Beside endpoints that do not respond, a commit keeps its lease batch for as long as they. */
  @Test
  void thousandsOfLeaseBatchesAreFound() {
    sending(2_100);

    List<LeaseStore.OpenLease> open = leases.leasesOf(DEAD, 20_000);
    assertThat(open).hasSize(2_100);
    assertThat(distinct(open)).isEqualTo(2_100);
    assertThat(leases.endedLeases(Set.of(), time.nowMs() + 90_001, 20_000)).hasSize(2_100);
    assertThat(leases.endedLeases(Set.of(DEAD), time.nowMs() + 90_001, 20_000))
        .as("each once, although they have also expired")
        .hasSize(2_100);
    assertThat(leases.endedLeases(Set.of(), time.nowMs(), 20_000)).isEmpty();
  }
}
