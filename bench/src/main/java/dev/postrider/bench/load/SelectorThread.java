package dev.postrider.bench.load;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;

/**
 * A thread that owns a selector and its connections. Other threads submit small tasks and wait for
 * them, so counts and histograms need no locks.
 */
public final class SelectorThread implements AutoCloseable {
  /** One turn: waits for the selector as long as it likes (less than a second) and serves it. */
  @FunctionalInterface
  public interface Turn {
    void run(Selector selector) throws IOException;
  }

  private final String name;
  private final Selector selector;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private volatile boolean open = true;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  public SelectorThread(String name, Selector selector) {
    this.name = name;
    this.selector = selector;
  }

  public void start(Turn turn) {
    Thread.ofPlatform().daemon().name(name).start(() -> loop(turn));
  }

  public Selector selector() {
    return selector;
  }

  private void loop(Turn turn) {
    try (selector) {
      while (open) {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
          task.run();
        }
        turn.run(selector);
      }
      for (var key : selector.keys()) {
        key.channel().close();
      }
      ended.complete(null);
    } catch (IOException | RuntimeException e) {
      ended.completeExceptionally(e);
    }
  }

  /** Runs something on the thread and waits for its result. */
  public <T> T ask(Callable<T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    tasks.add(
        () -> {
          try {
            result.complete(task.call());
          } catch (Exception e) {
            result.completeExceptionally(e);
          }
        });
    selector.wakeup();
    try {
      CompletableFuture.anyOf(result, ended).get();
      if (!result.isDone()) {
        throw new IllegalStateException("the " + name + " has stopped");
      }
      return result.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the " + name, e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the " + name + " failed: " + e.getCause(), e);
    }
  }

  @Override
  public void close() {
    open = false;
    selector.wakeup();
    ended.join();
  }
}
