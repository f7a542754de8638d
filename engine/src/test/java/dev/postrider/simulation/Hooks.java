package dev.postrider.simulation;

import dev.postrider.delivery.http.HeaderList;
import dev.postrider.delivery.http.HttpResult;
import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.storage.Database;
import dev.postrider.storage.Dialect;
import java.time.Duration;
import java.util.ResourceBundle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What the engine's calls become in the simulation; the receiver of a call is the first argument.
 * Public, since the rewritten classes of all packages call it.
 */
public final class Hooks {
  @SuppressWarnings("ThreadLocalUsage") // worlds run side by side, each on one thread
  private static final ThreadLocal<@Nullable World> WORLD = new ThreadLocal<>();

  private Hooks() {}

  static void enter(@Nullable World world) {
    WORLD.set(world);
  }

  static World world() {
    World world = WORLD.get();
    if (world == null) {
      throw new IllegalStateException("no simulated world runs on this thread");
    }
    return world;
  }

  private static Timeline timeline() {
    return world().timeline();
  }

  // ---- threads ----

  public static void parkNanos(long nanos) {
    if (nanos > 0) {
      timeline().park(nanos);
    }
  }

  public static void parkNanos(Object blocker, long nanos) {
    parkNanos(nanos);
  }

  public static void park(Object blocker) {
    timeline().park(-1);
  }

  public static void unpark(Thread thread) {
    Task task = ((Task.Handle) thread).task;
    if (task != null) {
      timeline().unpark(task);
    }
  }

  public static Thread currentThread() {
    return timeline().current().handle;
  }

  public static boolean interrupted() {
    return false;
  }

  public static Thread unstarted(Thread.Builder.OfPlatform builder, Runnable work) {
    // The builder knows the name and tells nobody but the threads that it makes.
    return new Task.Handle(builder.unstarted(() -> {}).getName(), work);
  }

  public static Thread startVirtual(Thread.Builder.OfVirtual builder, Runnable work) {
    Task.Handle handle = new Task.Handle("virtual", work);
    start(handle);
    return handle;
  }

  public static void start(Thread thread) {
    timeline().start(timeline().current().host, (Task.Handle) thread);
  }

  public static void join(Thread thread, long ms) {
    Task task = ((Task.Handle) thread).task;
    long until = timeline().nanos() + ms * Timeline.MS;
    while (task != null && !task.done && timeline().nanos() < until) {
      task.joiners.add(timeline().current());
      timeline().park(until - timeline().nanos());
    }
  }

  // ---- locks: a holder is not interrupted, so nobody ever waits for one ----

  public static void lock(ReentrantLock lock) {
    timeline().current().locks++;
  }

  public static boolean tryLock(ReentrantLock lock) {
    timeline().current().locks++;
    return true;
  }

  public static void unlock(ReentrantLock lock) {
    timeline().current().locks--;
  }

  public static long awaitNanos(Condition condition, long nanos) {
    Task task = timeline().current();
    long began = timeline().nanos();
    int locks = task.locks;
    task.locks = 0;
    world().waiting(condition).add(task);
    timeline().park(nanos);
    task.locks = locks;
    return nanos - (timeline().nanos() - began);
  }

  public static void signalAll(Condition condition) {
    world().waiting(condition).forEach(timeline()::unpark);
    world().waiting(condition).clear();
  }

  public static Object join(CompletableFuture<?> future) {
    while (!future.isDone()) {
      timeline().pass(Timeline.MS);
    }
    return future.join();
  }

  // ---- clocks and chance ----

  public static long nanoTime() {
    return timeline().nanos();
  }

  public static long currentTimeMillis() {
    return world().machineMs();
  }

  public static long nextLong(ThreadLocalRandom random) {
    return world().random().nextLong();
  }

  public static long nextLong(RandomGenerator random) {
    return world().random().nextLong();
  }

  public static double nextDouble(RandomGenerator random) {
    return world().random().nextDouble();
  }

  // ---- the world outside ----

  public static HttpResult send(
      HttpSender sender,
      Target target,
      String method,
      HeaderList headers,
      byte[] body,
      Duration deadline) {
    return world().network().send(target, headers, body.length, deadline);
  }

  public static void nothing(HttpSender sender) {}

  public static void nothing(NameLookup lookup) {}

  /** What an engine does at its start depends on whether others may be there. */
  public static Dialect dialectAtStart(Database database) {
    return world().several() ? Dialect.POSTGRES : database.dialect();
  }

  public static System.Logger logger(String name) {
    return new Log(name.substring(name.lastIndexOf('.') + 1));
  }

  private record Log(String name) implements System.Logger {
    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean isLoggable(Level level) {
      World world = WORLD.get();
      return world != null && world.tells();
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String text,
        @Nullable Throwable thrown) {
      if (isLoggable(level)) {
        world().tell(level + " " + name + ": " + text + (thrown == null ? "" : " " + thrown));
      }
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String format,
        @Nullable Object @Nullable ... values) {
      if (isLoggable(level)) {
        world().tell(level + " " + name + ": " + format + " " + java.util.Arrays.toString(values));
      }
    }
  }
}
