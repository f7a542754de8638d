package dev.postrider.delivery.accept;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.LeaseBatch;
import dev.postrider.id.Id;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Database;
import dev.postrider.storage.ShardGroups;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches are formed within groups of applications, for a database that is sharded by them. */
class ShardGroupsTest extends EngineBehaviour {
  private static final ShardGroups FOUR = new ShardGroups(4);

  @TempDir Path own;

  @ParameterizedTest
  @EnumSource
  void aStatementAndALeaseBatchConcernOneGroup(Databases.Kind kind) {
    try (Database database = kind.open(own);
        AcceptRig rig = new AcceptRig(database, FOUR)) {
      List<NewMessage> messages = new ArrayList<>();
      Set<Integer> groups = new HashSet<>();
      for (int i = 0; groups.size() < 3 || i < 12; i++) {
        Application application = rig.application("app-" + i);
        rig.endpoint(application);
        messages.add(AcceptRig.message(application));
        groups.add(FOUR.of(application.id().value()));
      }

      rig.acceptAll(messages.toArray(NewMessage[]::new));

      assertThat(rig.runs.get()).as("statements").isEqualTo(groups.size());
      List<byte[]> batches =
          database.read(
              handle ->
                  handle.createQuery("SELECT items FROM lease_batches").mapTo(byte[].class).list());
      assertThat(batches).hasSameSizeAs(groups);
      assertThat(batches)
          .allSatisfy(
              batch ->
                  assertThat(LeaseBatch.decode(batch))
                      .extracting(item -> FOUR.of(item.applicationId()))
                      .containsOnly(FOUR.of(LeaseBatch.decode(batch).getFirst().applicationId())));
      assertThat(rig.count("messages")).isEqualTo(messages.size());
    }
  }

  /** Accepts, finishes and claims; lease batches are deleted with results of their own group. */
  @ParameterizedTest
  @EnumSource
  void anEngineWithGroupsDelivers(Databases.Kind kind) {
    TestEngine engine =
        start(kind, "SHARD_GROUPS=4", "RETRY_SCHEDULE=1ms,1ms", "HEARTBEAT=100ms", "DEAD_AFTER=1m");
    receiver.behave(
        request -> Receiver.Answer.of(request.header("postrider-attempt").equals("1") ? 500 : 200));
    List<Application> applications = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Application application = engines.application(engine, "app-" + i);
      engines.endpoint(engine, application, receiver.url("/" + i));
      applications.add(application);
    }
    for (int n = 0; n < 3; n++) {
      applications.forEach(application -> Engines.send(engine, application, "{}"));
    }
    await("all delivered", () -> Engines.count(engine, DELIVERED) == 24);
    await("no lease is left", () -> Engines.count(engine, "lease_batches") == 0);
  }

  @Test
  void splittingKeepsTheOrderAndLosesNothing() {
    List<Id> ids = Stream.iterate(0L, i -> i + 1).limit(20).map(i -> new Id(9, i)).toList();
    List<List<Id>> parts = FOUR.split(ids, id -> id);
    assertThat(parts).hasSize(4).allSatisfy(part -> assertThat(part).hasSize(5).isSorted());
    assertThat(parts.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(FOUR.of(new Id(0, -1))).as("unsigned").isEqualTo(3);
    assertThat(ShardGroups.ONE.split(ids, id -> id)).containsExactly(ids);
    assertThat(FOUR.split(List.<Id>of(), id -> id)).isEmpty();
  }
}
