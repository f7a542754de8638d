package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.definition.Definition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import tools.jackson.databind.node.ArrayNode;

/**
 * A random run of a random definition: answers of all kinds, timers, callbacks, children, requests
 * that are withdrawn, pauses, cancels, redrives, expressions that find no thread, and events that
 * come twice or too late. In the end everything is answered, and the run must end.
 */
final class RandomRuns {
  private static final int ACTIONS = 60;
  private static final int LAST_ACTIONS = 3_000;

  /** A request outside, as the delivery engine has it. */
  private static final class Outside {
    final Id id;
    boolean sending;
    int failed;
    RunEvent.Withdrawn.How how = RunEvent.Withdrawn.How.UNTRIED;

    Outside(Id id) {
      this.id = id;
    }
  }

  private final Random random;
  private final RunWorld world;
  private final Map<Integer, Outside> requests = new LinkedHashMap<>();

  /** What became of requests that are over, for those who ask again. */
  private final Map<Integer, RunEvent.Withdrawn.How> over = new HashMap<>();

  private final Map<Integer, RunEffect.StartChild> children = new LinkedHashMap<>();
  private final List<RunEvent> late = new ArrayList<>();
  private final List<RunEvent> soon = new ArrayList<>();
  private int seen;
  private int redrives;
  private boolean calm;

  private RandomRuns(long seed, TransitionLog log) {
    this.random = new Random(seed);
    Definition definition = Definitions.of(RandomDefinitions.of(seed));
    this.world = new RunWorld(definition, RandomRuns::evaluate, seed, log);
    world.replays = seed % 25 == 0;
    if (random.nextInt(10) == 0) {
      world.limits = new Facts.Limits(1024 * 1024, 100_000, 3, 10_000, 7);
    }
    if (random.nextInt(10) == 0) {
      world.limits = new Facts.Limits(60, 40, 1_000, 3, 200);
    }
  }

  /** The rows of the run. */
  static RunWorld of(long seed, TransitionLog log) {
    RandomRuns runs = new RandomRuns(seed, log);
    runs.run();
    return runs.world;
  }

  static Facts.Evaluated evaluate(String expression, JsonValue context, Facts.Variables variables) {
    if (expression.equals("boom")) {
      return new Facts.Evaluated.Failed("boom");
    }
    if (expression.startsWith("items ")) {
      ArrayNode items = Json.MAPPER.createArrayNode();
      for (int i = 0; i < Integer.parseInt(expression.substring(6)); i++) {
        items.add(i);
      }
      return new Facts.Evaluated.Result(JsonValue.of(items), true);
    }
    return expression.equals("ctx")
        ? new Facts.Evaluated.Result(context, true)
        : new Facts.Evaluated.Result(JsonValue.ofJson(expression), expression.equals("true"));
  }

  private void run() {
    on(new RunEvent.Started(JsonValue.ofJson("{\"a\": 1}")));
    for (int i = 0; i < ACTIONS; i++) {
      if (world.status().isEnded() && !redrive()) {
        break;
      }
      if (!world.status().isEnded()) {
        act();
      }
    }
    calm = true;
    world.busy = 0;
    for (int i = 0; i < LAST_ACTIONS && !world.status().isEnded(); i++) {
      finish();
    }
    assertThat(world.status().isEnded())
        .as("the run ends; due at %s, state %s", world.dueAtMs, world.state.json())
        .isTrue();
    assertThat(RunState.replay(world.definition, world.rows)).isEqualTo(world.state);
    assertThat(RunState.ofJson(world.state.json())).isEqualTo(world.state);
    late.forEach(this::on);
  }

  private boolean redrive() {
    if (redrives++ > 1 || random.nextInt(3) == 0) {
      return false;
    }
    List<Integer> main = world.definition.main().steps();
    String from =
        random.nextBoolean()
            ? null
            : world.definition.step(main.get(random.nextInt(main.size()))).name();
    RunEvent.Redrive event =
        new RunEvent.Redrive(from, random.nextInt(3) == 0 ? JsonValue.ofJson("{\"e\":1}") : null);
    boolean refused = RunMachine.refusal(world.definition, world.state, event) != null;
    int before = world.rows.size();
    on(event);
    assertThat(world.rows.size() == before).isEqualTo(refused);
    return !refused;
  }

  private void act() {
    if (random.nextInt(12) == 0) {
      world.busy = 1 + random.nextInt(3);
    }
    switch (random.nextInt(16)) {
      case 0, 1, 2, 3, 4, 5 -> answer();
      case 6, 7 -> tick(random.nextInt(3) == 0 ? random.nextInt(400_000) : random.nextInt(5_000));
      case 8, 9 -> call();
      case 10 -> child();
      case 11, 12 -> react();
      case 13 -> {
        if (!late.isEmpty()) {
          on(late.get(random.nextInt(late.size())));
        }
      }
      case 14 -> {
        if (random.nextInt(4) == 0) {
          on(random.nextBoolean() ? new RunEvent.Pause() : new RunEvent.Resume());
        }
      }
      default -> {
        int rare = random.nextInt(40);
        if (rare < 3) {
          on(rare == 0 ? new RunEvent.ParentCanceled() : new RunEvent.Cancel("test"));
        } else if (rare == 4) {
          tick(8_000_000);
        }
      }
    }
  }

  /** Everything succeeds, and time goes on. */
  private void finish() {
    if (world.state.head().paused()) {
      on(new RunEvent.Resume());
    } else if (!soon.isEmpty()) {
      react();
    } else if (!requests.isEmpty()) {
      answer();
    } else if (!children.isEmpty()) {
      child();
    } else if (!world.tokens.isEmpty() && random.nextInt(3) > 0) {
      call();
    } else {
      assertThat(world.dueAtMs).as("something is to be done: %s", world.state.json()).isNotNull();
      tick(Math.max(0, world.dueAtMs - world.nowMs));
    }
  }

  private void tick(long millis) {
    world.nowMs += millis;
    on(new RunEvent.Tick());
  }

  private void answer() {
    if (requests.isEmpty()) {
      return;
    }
    List<Integer> all = new ArrayList<>(requests.keySet());
    int seq = all.get(random.nextInt(all.size()));
    Outside request = requests.get(seq);
    if (!calm && !request.sending && random.nextInt(3) == 0) {
      request.sending = true;
      return;
    }
    request.sending = false;
    Answer answer = calm ? answer(200, request) : anyAnswer(request);
    int before = world.effects.size();
    RunEvent event = new RunEvent.Answered(seq, answer);
    late.add(event);
    on(event);
    boolean again =
        world.effects.subList(before, world.effects.size()).stream()
            .anyMatch(effect -> effect instanceof RunEffect.Retry retry && retry.seq() == seq);
    request.how =
        answer.isUnknown() ? RunEvent.Withdrawn.How.NO_ANSWER : RunEvent.Withdrawn.How.ANSWERED;
    if (again) {
      request.failed++;
    } else {
      requests.remove(seq);
      over.put(seq, request.how);
    }
  }

  private static Answer answer(int status, Outside request) {
    return new Answer(Answer.Kind.ANSWERED, status, new byte[0], false, request.failed, null, null);
  }

  private Answer anyAnswer(Outside request) {
    return switch (random.nextInt(12)) {
      case 0 -> answer(404, request);
      case 1 -> answer(503, request);
      case 2 -> RunWorld.noAnswer(Answer.Kind.TIMEOUT, request.failed);
      case 3 -> RunWorld.noAnswer(Answer.Kind.NETWORK, request.failed);
      case 4 -> RunWorld.noAnswer(Answer.Kind.REJECTED, request.failed);
      case 5 ->
          new Answer(Answer.Kind.ANSWERED, 200, new byte[] {'1'}, true, request.failed, null, null);
      default -> answer(200, request);
    };
  }

  private void call() {
    if (world.tokens.isEmpty()) {
      return;
    }
    List<Integer> all = new ArrayList<>(world.tokens);
    RunEvent event =
        new RunEvent.CallbackReceived(
            all.get(random.nextInt(all.size())),
            JsonValue.ofJson("7"),
            !calm && random.nextInt(4) == 0);
    late.add(event);
    on(event);
  }

  private void child() {
    if (children.isEmpty()) {
      return;
    }
    List<Integer> all = new ArrayList<>(children.keySet());
    int seq = all.get(random.nextInt(all.size()));
    RunEffect.StartChild child = children.remove(seq);
    RunStatus status =
        world.canceledChildren.contains(child.child()) && random.nextBoolean()
            ? RunStatus.CANCELED
            : calm || random.nextInt(3) > 0 ? RunStatus.COMPLETED : RunStatus.FAILED;
    RunEvent event = new RunEvent.ChildEnded(seq, child.child(), status, JsonValue.ofJson("5"));
    late.add(event);
    on(event);
  }

  /** The reports about requests that were given up. */
  private void react() {
    List<RunEvent> events = new ArrayList<>(soon);
    soon.clear();
    if (!events.isEmpty()) {
      late.addAll(events);
      on(events.toArray(new RunEvent[0]));
    }
  }

  private void on(RunEvent... events) {
    int before = world.rows.size();
    boolean busy = world.busy > 0;
    world.on(events);
    if (events[0] instanceof RunEvent.Tick && !busy && world.rows.size() == before) {
      assertThat(world.dueAtMs == null || world.dueAtMs > world.nowMs)
          .as("a tick that does nothing is not repeated at once: %s", world.state.json())
          .isTrue();
    }
    for (RunEffect effect : world.effects.subList(seen, world.effects.size())) {
      switch (effect) {
        case RunEffect.Call call -> requests.put(call.seq(), new Outside(call.id()));
        case RunEffect.Withdraw withdraw -> withdraw.calls().forEach(this::withdraw);
        case RunEffect.StartChild child -> children.put(child.seq(), child);
        case RunEffect.Retry _,
            RunEffect.OpenCallback _,
            RunEffect.CloseCallback _,
            RunEffect.CancelChild _,
            RunEffect.TellParent _,
            RunEffect.Publish _,
            RunEffect.Discard _ -> {}
      }
    }
    seen = world.effects.size();
    assertThat(world.status().isEnded() || world.dueAtMs != null || isAwaited())
        .as("something is awaited: %s", world.state.json())
        .isTrue();
  }

  private boolean isAwaited() {
    return !requests.isEmpty() || !children.isEmpty() || !world.tokens.isEmpty();
  }

  private void withdraw(int seq, Id id) {
    Outside request = requests.get(seq);
    RunEvent.Withdrawn.How how;
    if (request == null) {
      how = over.getOrDefault(seq, RunEvent.Withdrawn.How.UNTRIED);
    } else {
      assertThat(request.id).isEqualTo(id);
      how = request.sending ? RunEvent.Withdrawn.How.IN_FLIGHT : request.how;
      if (!request.sending) {
        requests.remove(seq);
        over.put(seq, how);
      }
    }
    // A crash may lose the report: then the poll asks again.
    if (calm || random.nextInt(10) > 0) {
      soon.add(new RunEvent.Withdrawn(seq, how));
    }
  }
}
