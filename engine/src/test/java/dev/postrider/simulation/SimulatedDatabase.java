package dev.postrider.simulation;

import dev.postrider.storage.Database;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.DedicatedConnection;
import dev.postrider.storage.Dialect;
import dev.postrider.storage.MemorySqlite;
import org.jspecify.annotations.Nullable;

/**
 * The store as one host sees it: each transaction is one indivisible step of the real SQLite, but
 * before it and after it time passes, other threads run, and connections break.
 */
final class SimulatedDatabase implements Database, DedicatedConnection {
  private final World world;
  private final Host host;
  private final MemorySqlite store;

  SimulatedDatabase(World world, Host host, MemorySqlite store) {
    this.world = world;
    this.host = host;
    this.store = store;
  }

  @Override
  public Dialect dialect() {
    return Dialect.SQLITE;
  }

  @Override
  public <T extends @Nullable Object> T read(Work<T> work) {
    begin();
    T result = store.read(work);
    pass();
    return result;
  }

  @Override
  public <T extends @Nullable Object> T snapshot(Work<T> work) {
    return read(work);
  }

  @Override
  public <T extends @Nullable Object> T write(Work<T> work) {
    return run(_ -> work.run(store.handle()));
  }

  @Override
  public <T extends @Nullable Object> T run(RawWork<T> work) {
    begin();
    T result = store.write(work);
    if (world.faults().strikesAfterCommit() && world.timeline().current().locks == 0) {
      // The moment that matters most: the world knows what this process does not know yet.
      world.strike(host);
      world.timeline().pass(1_000);
    }
    if (world.faults().answerLost(host)) {
      pass();
      throw lost("the connection was lost after the commit");
    }
    pass();
    return result;
  }

  /** The request is on its way; it may not arrive. */
  private void begin() {
    pass();
    if (host.databaseAwayUntil > world.timeline().nanos()) {
      world.timeline().pass(world.faults().refusalNanos());
      throw lost("the database is unavailable");
    }
    if (world.faults().requestLost(host)) {
      throw lost("the connection was lost before the commit");
    }
  }

  private DatabaseUnavailable lost(String how) {
    host.trouble(world.timeline().nanos(), world.timeline().nanos());
    return new DatabaseUnavailable(how);
  }

  private void pass() {
    long nanos = world.faults().databaseNanos();
    if (nanos > 0) {
      world.timeline().pass(nanos);
    }
  }

  @Override
  public long databaseMs() {
    begin();
    long ms = world.databaseMs();
    pass();
    return ms;
  }

  @Override
  public boolean reachable() {
    return host.databaseAwayUntil <= world.timeline().nanos();
  }

  @Override
  public void migrate() {}

  @Override
  public void close() {}
}
