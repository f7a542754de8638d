package dev.postrider.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.simulation.SimulationLoader.Bug;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bugs put into the engine on purpose: the simulation has to find each of them. It takes minutes,
 * so it runs only with {@code -Dsimulation.bugs=true}.
 */
@EnabledIfSystemProperty(named = "simulation.bugs", matches = "true")
class SeededBugsTest {
  private static final int MOST_SEEDS = 3_000;
  private static final long LIMIT_MINUTES = 10;

  static Stream<Arguments> bugs() {
    return Stream.of(
        // Without either guard of the record; each of them alone keeps the other's bug harmless.
        bug(
            Bug.says(
                "a finish without its fence",
                "delivery.store.SqliteStatements",
                Map.of(
                    "AND lease_version = ? AND status = {SENDING}", "AND ? > 0",
                    "INSERT INTO attempts", "INSERT OR REPLACE INTO attempts")),
            "went from status"),
        bug(
            Bug.says(
                "a late end of a lease without a row",
                "delivery.store.SqliteStatements",
                Map.of("ON CONFLICT DO NOTHING", "ON CONFLICT DO UPDATE SET id = excluded.id")),
            "an attempt was changed|cannot"),
        bug(
            Bug.answers(
                "a lease batch that is deleted on a guess",
                "delivery.store.LeaseBatchStore",
                "unfinished",
                Set.of()),
            "neither a row nor an attempt|has \\d+ deliveries"),
        bug(
            Bug.says(
                "a finish that deletes the lease batches of others",
                "delivery.store.SqliteStatements",
                Map.of(
                    "DELETE FROM lease_batches WHERE instance_id = ? AND id = ?",
                    "DELETE FROM lease_batches WHERE instance_id = ? AND ? IS NOT NULL")),
            "before its last lease ended"),
        bug(
            Bug.says(
                "a failed first attempt without its row",
                "delivery.store.SqliteStatements",
                Map.of(
                    "VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)",
                    "SELECT ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ? WHERE 0")),
            "was written without a row|attempts without a delivery"),
        bug(
            Bug.answers(
                "a batch that is run again does not see what it has written",
                "delivery.accept.AcceptStatements$Found",
                "present",
                false),
            "before its last lease ended|neither a row nor an attempt|cannot"),
        bug(
            Bug.says(
                "a rescue or release of a lease that another rescue ended",
                "delivery.store.LeaseStore",
                Map.of("AND lease_version = :version AND status", "AND :version > 0 AND status")),
            "was sent again|cannot|was sent twice"),
        bug(
            Bug.says(
                "a claim that keeps the lease version",
                "delivery.store.SqliteStatements",
                Map.of(
                    "lease_version = lease_version + 1", "lease_version = lease_version",
                    "d.lease_version + 1", "d.lease_version")),
            "was sent twice as attempt|cannot"),
        bug(
            Bug.answers(
                "a sender that trusts an old heartbeat",
                "delivery.lane.TrustWindow",
                "fresh",
                true),
            "was sent again|came to"),
        bug(
            Bug.says(
                "leases at insert are not stored",
                "delivery.accept.SqliteAccept",
                Map.of("VALUES (?, ?, ?, ?)", "SELECT ?, ?, ?, ? WHERE 0")),
            "not done"),
        bug(
            Bug.answers(
                "a finish that does not see the cancel",
                "delivery.store.LeaseStore$HeldLease",
                "cancelRequested",
                false),
            "waits again|was canceled"),
        bug(Bug.answers("nothing is rescued", "maintenance.Rescuer", "rescue", 0), "not done"),
        bug(
            Bug.answers("the due index is never swept", "delivery.loop.Claimer", "sweepPage", null),
            "not done"),
        bug(
            Bug.says(
                "a key is not remembered",
                "delivery.accept.SqliteAccept",
                Map.of("WHERE p.expires_at <= ?6", "WHERE ?6 > 0")),
            "without a key"),
        bug(
            Bug.says(
                "a generation of keys that is not checked",
                "delivery.accept.SqliteAccept",
                Map.of("slot = ? AND number = ? AND state = 1", "slot = ? AND number = ?")),
            "former generation"),
        bug(
            Bug.says(
                "a key of a former generation that is ignored",
                "delivery.accept.SqliteAccept",
                Map.of(
                    "NOT EXISTS (SELECT 1 FROM {other}",
                    "?6 > 0 OR NOT EXISTS (SELECT 1 FROM {other}")),
            "keys with two messages"),
        bug(
            Bug.answers(
                "an ordered lane forgets who is in flight",
                "delivery.store.LaneView",
                "inFlight",
                null),
            "came to|held by nobody"),
        bug(
            Bug.says(
                "a delayed delivery holds up what was accepted after it",
                "delivery.store.DueStore",
                Map.of("ORDER BY order_at NULLS FIRST, lane_seq", "ORDER BY lane_seq")),
            "came to"),
        bug(
            Bug.answers(
                "a throttle that never counts", "delivery.store.LaneView", "throttleTat", 0L),
            "within"),
        bug(
            Bug.answers(
                "an outcome is taken for lost", "delivery.loop.Finisher", "add", Void.class),
            "not done|was sent again"),
        bug(Bug.answers("a share that is skipped", "limit.Share", "allows", true), "places|tries"),
        bug(
            Bug.answers("a lane that is never slow", "delivery.lane.LaneRoom", "judge", Void.class),
            "tries at slow receivers"),
        bug(
            Bug.answers(
                "bytes that nobody counts", "delivery.lane.LaneRoom", "holdBytes", Void.class),
            "bytes under way"),
        bug(
            Bug.answers(
                "turns by lane, not by application",
                "delivery.lane.LaneBook",
                "takesTurnsAs",
                Id.ZERO),
            "ms late"));
  }

  private static Arguments bug(Bug bug, String found) {
    return Arguments.of(Named.of(bug.name(), bug), found);
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void isFound(Bug bug, String found) {
    Seeds seeds = new Seeds(bug);
    long began = System.nanoTime();
    Seeds.Summary summary = seeds.run(1, MOST_SEEDS, 2, TimeUnit.MINUTES.toNanos(LIMIT_MINUTES));
    Seeds.Result failed = summary.failed();
    System.out.println(
        bug.name()
            + ": "
            + summary.seeds()
            + " seeds, "
            + (System.nanoTime() - began) / 1_000_000
            + " ms, "
            + (failed == null ? "not found" : failed.violations().getFirst()));
    assertThat(seeds.bugPlaced()).as("the bug is in the code").isTrue();
    assertThat(summary.brokenBy()).isNull();
    assertThat(failed == null ? List.<String>of() : failed.violations())
        .anyMatch(violation -> violation.matches("(?s).*(" + found + ").*"));
  }
}
