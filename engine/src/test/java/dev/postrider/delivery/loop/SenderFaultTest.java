package dev.postrider.delivery.loop;

import static dev.postrider.testkit.builder.LeaseBuilder.aLease;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Delivery;
import dev.postrider.delivery.DeliveryListener;
import dev.postrider.delivery.RetryPolicy;
import dev.postrider.delivery.UnsettledLeases;
import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.SenderSettings;
import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.OwnReceiver;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.delivery.lane.Lanes;
import dev.postrider.delivery.lane.TrustWindow;
import dev.postrider.delivery.store.HotStatements;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.options.OptionNames;
import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.StorageException;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.TestLanes;
import dev.postrider.testkit.builder.LeaseBuilder;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a lease when something breaks inside before the send. */
@Timeout(120)
class SenderFaultTest {
  private final ManualTime time = new ManualTime();
  private final Lanes lanes = TestLanes.small(time);
  private final LinkedBlockingQueue<String> ends = new LinkedBlockingQueue<>();

  /** Writes down which way the lease went. */
  private final class Recorder implements Sender.Releases {
    @Override
    public void release(Delivery delivery, long nextAttemptAtMs) {
      ends.add("released");
    }

    @Override
    public void drop(Delivery delivery) {
      ends.add("dropped");
    }

    @Override
    public void leave(Delivery delivery) {
      ends.add("left");
    }
  }

  private record Source(Supplier<Throwable> fault) implements EndpointConfigs.Source {
    @Override
    public List<EndpointConfig> load(Id applicationId, List<Id> endpointIds) {
      Throwable thrown = fault.get();
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) thrown;
    }

    @Override
    public @Nullable String eventTypeRetryPolicy(EndpointConfig config, String eventType) {
      return null;
    }
  }

  private static final class ThrowingLink implements DedicatedConnection {
    @Override
    public <T extends @Nullable Object> T run(Database.RawWork<T> work) {
      throw new AssertionError("nothing is to be recorded");
    }

    @Override
    public <T extends @Nullable Object> T write(Database.Work<T> work) {
      throw new AssertionError("nothing is to be recorded");
    }

    @Override
    public void close() {}
  }

  /** How the lease ended, and how many outcomes wait to be recorded. */
  private record End(@Nullable String lease, int outcomes) {}

  private End endOf(Supplier<Throwable> fault) {
    return endOf(aLease(), fault);
  }

  private End endOf(LeaseBuilder lease, Supplier<Throwable> fault) {
    OwnReceiver own = new OwnReceiver();
    TargetRules rules = new TargetRules(false, List.of(), own, OptionNames.OF_LIBRARY);
    try (NameLookup lookup =
        new NameLookup(InetAddress::getAllByName, time, NameLookup.Limits.defaults())) {
      AddressGuard guard = new AddressGuard(rules, lookup);
      HttpSender http = new HttpSender(SenderSettings.defaults(4), guard, lookup, time);
      Finisher finisher =
          new Finisher(
              new ThrowingLink(),
              HotStatements.of(Dialect.SQLITE),
              null,
              null,
              lanes,
              new UnsettledLeases(),
              DeliveryListener.NONE,
              time);
      Sender sender =
          new Sender(
              new Sender.Requests(
                  http,
                  new EndpointConfigs(new Source(fault), rules, RetryPolicy.DEFAULT, time),
                  null), // the shaper is asked only for endpoints with expressions
              finisher,
              new Recorder(),
              lanes,
              new TrustWindow(time, 1_000_000_000L, 90_000),
              new Ids(time::nowMs, new SplittableRandom(1)),
              time,
              new Sender.Settings(Duration.ofSeconds(1), "test"));
      Id lane = new Id(2, 2);
      Delivery delivery = lease.in(lanes).lane(lane).build();
      assertThat(lanes.room().reserve(lanes.of(delivery.applicationId(), lane), 10, 1))
          .isEqualTo(1);
      sender.start(delivery);
      // Nothing signals that a result waits to be recorded: the finisher does not run here.
      Signals.poll("it has ended", () -> !ends.isEmpty() || finisher.waiting() > 0);
      assertThat(lanes.room().inFlight()).as("its place is free").isZero();
      return new End(ends.poll(), finisher.waiting());
    }
  }

  @Test
  void anExpiredDeliveryEndsBeforeItsEndpointIsLookedAt() {
    Supplier<Throwable> away = () -> new DatabaseUnavailable("away");
    assertThat(endOf(aLease().expiresAtMs(time.nowMs()), away)).isEqualTo(new End(null, 1));
    assertThat(endOf(aLease().expiresAtMs(time.nowMs() + 1), away))
        .isEqualTo(new End("released", 0));
  }

  @Test
  void aDatabaseFaultIsNotTheDeliverysFault() {
    assertThat(endOf(() -> new StorageException("a bug in a statement", null)))
        .isEqualTo(new End("dropped", 0));
    assertThat(endOf(() -> new DatabaseUnavailable("away", new RuntimeException())))
        .isEqualTo(new End("released", 0));
  }

  @Test
  void aProcessInTroubleEndsNoDelivery() {
    assertThat(endOf(() -> new OutOfMemoryError("test"))).isEqualTo(new End("left", 0));
    assertThat(endOf(() -> new StackOverflowError("test"))).isEqualTo(new End("left", 0));
    assertThat(endOf(() -> new NoClassDefFoundError("test"))).isEqualTo(new End("left", 0));
  }

  @Test
  void oneBrokenDeliveryEndsAlone() {
    assertThat(endOf(() -> new IllegalStateException("one broken row")))
        .as("a dead letter waits to be recorded")
        .isEqualTo(new End(null, 1));
  }
}
