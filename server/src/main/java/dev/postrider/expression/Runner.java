package dev.postrider.expression;

import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Jsonata;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * One thread that evaluates, with the expressions that it has compiled. Nothing of the library is
 * ever seen by two threads.
 */
final class Runner {
  private static final int STACK_BYTES = 8 * 1024 * 1024;
  private static final long IDLE_SECONDS = 30;

  /** An evaluation that a caller waits for. */
  record Task(
      String text,
      @Nullable Map<String, @Nullable Object> context,
      CompletableFuture<Value> result) {}

  private final ExpressionLimits limits;
  private final TimeSource time;
  private final SynchronousQueue<Task> inbox = new SynchronousQueue<>();
  private final Thread thread;
  private final Map<String, Jsonata> compiled;
  private volatile boolean ended;

  Runner(ExpressionLimits limits, TimeSource time) {
    this.limits = limits;
    this.time = time;
    this.compiled =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Jsonata> eldest) {
            return size() > limits.cached();
          }
        };
    this.thread = new Thread(null, this::loop, "expression", STACK_BYTES);
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** False if the thread has ended or is not ready to take it. */
  boolean offer(Task task) throws InterruptedException {
    return !ended && inbox.offer(task, 1, TimeUnit.SECONDS);
  }

  /** Ends the thread as soon as what it does lets it. */
  void end() {
    ended = true;
    thread.interrupt();
  }

  /** Waits for the thread to be over. */
  boolean over() {
    return !thread.isAlive();
  }

  private void loop() {
    try {
      while (!ended) {
        Task task = inbox.poll(IDLE_SECONDS, TimeUnit.SECONDS);
        if (task != null) {
          run(task);
        }
      }
    } catch (InterruptedException e) {
      ended = true;
    }
  }

  private void run(Task task) {
    try {
      Map<String, @Nullable Object> context = task.context();
      Jsonata expression = compile(task.text());
      task.result()
          .complete(
              context == null ? new Value.Absent() : evaluate(expression, task.text(), context));
    } catch (InvalidExpression | ExpressionFailed e) {
      task.result().completeExceptionally(e);
    } catch (StackOverflowError e) {
      task.result().completeExceptionally(new ExpressionFailed("it is nested too deeply"));
    } catch (OutOfMemoryError e) {
      task.result().completeExceptionally(new ExpressionFailed("it needs too much memory"));
    } catch (Throwable e) {
      task.result().completeExceptionally(new ExpressionFailed(plain(e)));
    }
  }

  private Jsonata compile(String text) {
    Jsonata known = compiled.get(text);
    if (known != null) {
      return known;
    }
    Jsonata fresh = parse(text);
    compiled.put(text, fresh);
    return fresh;
  }

  private static Jsonata parse(String text) {
    try {
      Jsonata expression = Jsonata.jsonata(text);
      List<Exception> errors = expression.getErrors();
      if (errors != null && !errors.isEmpty()) {
        throw errors.getFirst();
      }
      expression.setOutputConvertNulls(false);
      return expression;
    } catch (JException e) {
      throw new InvalidExpression(Place.of(text, e.getLocation()), plain(e));
    } catch (PatternSyntaxException e) {
      throw new InvalidExpression(null, "a regular expression is wrong: " + e.getDescription());
    } catch (StackOverflowError e) {
      throw new InvalidExpression(null, "it is nested too deeply");
    } catch (Exception e) {
      throw new InvalidExpression(null, plain(e));
    }
  }

  private Value evaluate(Jsonata expression, String text, Map<String, @Nullable Object> context) {
    Bounds bounds = new Bounds(limits, time);
    Jsonata.Frame frame = expression.createFrame();
    bounds.watch(frame);
    new Builtins(bounds, time).bind(frame);
    try {
      return value(expression.evaluate(context, frame));
    } catch (RuntimeException e) {
      String limit = bounds.reached();
      if (limit != null) {
        throw new ExpressionFailed(limit);
      }
      if (e instanceof JException fault) {
        throw new ExpressionFailed(place(text, fault), plain(fault));
      }
      throw e;
    }
  }

  /** Some errors of the library name their operator but not where it stands. */
  private static @Nullable Place place(String text, JException fault) {
    if (fault.getLocation() >= 0) {
      return Place.of(text, fault.getLocation());
    }
    if (fault.getCurrent() instanceof String operator && !operator.isEmpty()) {
      int first = text.indexOf(operator);
      return first >= 0 && first == text.lastIndexOf(operator) ? Place.of(text, first) : null;
    }
    return null;
  }

  private static Value value(@Nullable Object result) {
    return switch (result) {
      case null -> new Value.Absent();
      case Builtins.CancelMark _ -> new Value.Cancel();
      case Builtins.RequestMark request -> new Value.Request(request);
      default -> new Value.Plain(unmarked(result));
    };
  }

  /** Without the library's own null and lists. */
  private static @Nullable Object unmarked(Object result) {
    if (result == Jsonata.NULL_VALUE) {
      return null;
    }
    return result instanceof List<?> list
        ? Collections.unmodifiableList(new ArrayList<@Nullable Object>(list))
        : result;
  }

  private static String plain(Throwable fault) {
    String message = fault.getMessage();
    return message == null ? fault.getClass().getSimpleName() : message;
  }
}
