package dev.postrider.workflow.machine;

import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.workflow.data.ValueRef;
import dev.postrider.workflow.machine.RunState.Head;
import dev.postrider.workflow.machine.RunState.Join;
import dev.postrider.workflow.machine.RunState.LiveStep;
import dev.postrider.workflow.machine.RunState.Past;
import dev.postrider.workflow.machine.RunState.Role;
import dev.postrider.workflow.machine.RunState.Scope;
import dev.postrider.workflow.machine.RunState.Undo;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A state as JSON. Its parts are arrays without names: it is written with every transition. */
final class StateJson {

  private StateJson() {}

  static String write(RunState state) {
    ObjectNode node = Json.MAPPER.createObjectNode();
    Head head = state.head();
    ArrayNode first = node.putArray("head");
    first.add(head.seq()).add(head.epoch()).add(head.status().code());
    number(first, head.ending() == null ? null : head.ending().code());
    first.add(head.paused()).add(head.startedAtMs());
    time(first, head.deadlineMs());
    number(first, head.errorSeq());
    first.add(head.nextScope());
    ArrayNode scopes = node.putArray("scopes");
    state.scopes().values().forEach(scope -> write(scopes.addArray(), scope));
    ArrayNode live = node.putArray("live");
    for (LiveStep step : state.live().values()) {
      Scope scope = state.scopes().get(step.scope());
      ArrayNode each = live.addArray();
      if (scope != null && step.equals(request(step, scope.data()))) {
        each.add(step.seq()).add(step.scope()).add(step.step());
        text(each, step.call());
      } else {
        write(each, step);
      }
    }
    ArrayNode orphans = node.putArray("orphans");
    state.orphans().values().forEach(step -> write(orphans.addArray(), step));
    if (!state.undo().equals(Undo.NONE)) {
      write(node.putArray("undo"), state.undo());
    }
    return node.toString();
  }

  static RunState read(String json) {
    JsonNode node = Json.MAPPER.readTree(json);
    JsonNode head = node.get("head");
    Integer ending = number(head.get(3));
    Map<Integer, Scope> scopes = new TreeMap<>();
    node.get("scopes").forEach(each -> scopes.put(each.get(0).asInt(), scope(each)));
    JsonNode undo = node.get("undo");
    return new RunState(
        new Head(
            head.get(0).asInt(),
            head.get(1).asInt(),
            RunStatus.of(head.get(2).asInt()),
            ending == null ? null : RunStatus.of(ending),
            head.get(4).asBoolean(),
            head.get(5).asLong(),
            time(head.get(6)),
            number(head.get(7)),
            head.get(8).asInt()),
        scopes,
        steps(node.get("live"), scopes),
        steps(node.get("orphans"), scopes),
        undo == null ? Undo.NONE : undo(undo));
  }

  private static void write(ArrayNode out, Scope scope) {
    out.add(scope.id()).add(scope.role().name()).add(scope.outer()).add(scope.key());
    out.add(scope.item());
    number(out, scope.next());
    write(out, scope.data());
    number(out, scope.stopped());
    write(out, scope.kept());
    number(out, scope.errorSeq());
    ArrayNode all = out.addArray();
    scope
        .past()
        .forEach(
            (step, past) -> {
              ArrayNode each = all.addArray().add(step).add(past.began());
              if (!past.equals(first(past.began(), scope.data()))) {
                each.add(past.visits()).add(past.sinceRedrive()).add(past.keyVisit());
                each.add(past.repeats());
                write(each, past.before());
                each.add(past.ended()).add(past.failed());
              }
            });
  }

  /** A step that is live for the first time, as most are: only its row is written. */
  private static Past first(int began, ValueRef data) {
    return new Past(1, 1, 1, false, began, data, 0, false);
  }

  private static Past past(JsonNode in, ValueRef data) {
    int began = in.get(1).asInt();
    return in.size() == 2
        ? first(began, data)
        : new Past(
            in.get(2).asInt(),
            in.get(3).asInt(),
            in.get(4).asInt(),
            in.get(5).asBoolean(),
            began,
            ref(in.get(6)),
            in.get(7).asInt(),
            in.get(8).asBoolean());
  }

  private static Scope scope(JsonNode in) {
    ValueRef data = ref(in.get(6));
    Map<Integer, Past> past = new TreeMap<>();
    in.get(10).forEach(each -> past.put(each.get(0).asInt(), past(each, data)));
    return new Scope(
        in.get(0).asInt(),
        Role.valueOf(in.get(1).asString()),
        in.get(2).asInt(),
        in.get(3).asInt(),
        in.get(4).asInt(),
        number(in.get(5)),
        data,
        number(in.get(7)),
        join(in.get(8)),
        number(in.get(9)),
        past);
  }

  private static void write(ArrayNode out, LiveStep step) {
    out.add(step.seq()).add(step.scope()).add(step.step()).add(step.status() == StepStatus.WAITING);
    time(out, step.dueMs());
    out.add(step.attempts());
    text(out, step.call());
    text(out, step.child());
    write(out, step.join());
    if (step.answered() == null) {
      out.addNull();
    } else {
      out.addArray().add(step.answered().seq()).add(step.answered().failed());
    }
    out.add(step.givenUp());
    write(out, step.data());
  }

  /** A request without a timeout before its first answer, as most live steps are. */
  private static LiveStep request(LiveStep step, ValueRef data) {
    return new LiveStep(
        step.seq(),
        step.scope(),
        step.step(),
        StepStatus.SCHEDULED,
        Long.MAX_VALUE,
        0,
        step.call(),
        null,
        null,
        null,
        false,
        data);
  }

  private static Map<Integer, LiveStep> steps(JsonNode in, Map<Integer, Scope> scopes) {
    Map<Integer, LiveStep> steps = new TreeMap<>();
    for (JsonNode each : in) {
      if (each.size() == 4) {
        LiveStep step = request(each, scopes);
        steps.put(step.seq(), step);
        continue;
      }
      steps.put(
          each.get(0).asInt(),
          new LiveStep(
              each.get(0).asInt(),
              each.get(1).asInt(),
              each.get(2).asInt(),
              each.get(3).asBoolean() ? StepStatus.WAITING : StepStatus.SCHEDULED,
              time(each.get(4)),
              each.get(5).asInt(),
              idOrNull(each.get(6)),
              idOrNull(each.get(7)),
              join(each.get(8)),
              stored(each.get(9)),
              each.get(10).asBoolean(),
              ref(each.get(11))));
    }
    return steps;
  }

  private static LiveStep request(JsonNode in, Map<Integer, Scope> scopes) {
    int scope = in.get(1).asInt();
    return new LiveStep(
        in.get(0).asInt(),
        scope,
        in.get(2).asInt(),
        StepStatus.SCHEDULED,
        Long.MAX_VALUE,
        0,
        idOrNull(in.get(3)),
        null,
        null,
        null,
        false,
        Objects.requireNonNull(scopes.get(scope)).data());
  }

  private static RunState.@Nullable Stored stored(JsonNode in) {
    return in.isNull() ? null : new RunState.Stored(in.get(0).asInt(), in.get(1).asBoolean());
  }

  private static void write(ArrayNode out, ValueRef ref) {
    ArrayNode array = out.addArray().add(ref.seq()).add(ref.part() == ValueRef.Part.DATA);
    if (ref.item() != null) {
      array.add(ref.item());
    }
  }

  private static ValueRef ref(JsonNode in) {
    return new ValueRef(
        in.get(0).asInt(),
        in.get(1).asBoolean() ? ValueRef.Part.DATA : ValueRef.Part.VALUE,
        in.size() > 2 ? in.get(2).asInt() : null);
  }

  private static void write(ArrayNode out, @Nullable Join join) {
    if (join == null) {
      out.addNull();
      return;
    }
    out.addArray()
        .add(join.key())
        .add(join.count())
        .add(join.opened())
        .add(join.done())
        .add(join.bytes())
        .add(join.failed());
  }

  private static @Nullable Join join(JsonNode in) {
    return in.isNull()
        ? null
        : new Join(
            in.get(0).asInt(),
            in.get(1).asInt(),
            in.get(2).asInt(),
            in.get(3).asInt(),
            in.get(4).asLong(),
            in.get(5).asBoolean());
  }

  private static void write(ArrayNode out, Undo undo) {
    out.add(undo.before()).add(undo.after()).add(undo.lowest()).add(undo.failed());
    time(out, undo.dueMs());
    out.add(undo.finallyBegun());
  }

  private static Undo undo(JsonNode in) {
    return new Undo(
        in.get(0).asInt(),
        in.get(1).asInt(),
        in.get(2).asInt(),
        in.get(3).asBoolean(),
        time(in.get(4)),
        in.get(5).asBoolean());
  }

  private static void number(ArrayNode out, @Nullable Integer value) {
    if (value == null) {
      out.addNull();
    } else {
      out.add(value);
    }
  }

  private static @Nullable Integer number(JsonNode in) {
    return in.isNull() ? null : Integer.valueOf(in.asInt());
  }

  /** Never is null. */
  private static void time(ArrayNode out, long value) {
    if (value == Long.MAX_VALUE) {
      out.addNull();
    } else {
      out.add(value);
    }
  }

  private static long time(JsonNode in) {
    return in.isNull() ? Long.MAX_VALUE : in.asLong();
  }

  private static void text(ArrayNode out, @Nullable Id id) {
    if (id == null) {
      out.addNull();
    } else {
      out.add(text(id));
    }
  }

  private static @Nullable Id idOrNull(JsonNode in) {
    return in.isNull() ? null : id(in.asString());
  }

  static String text(Id id) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(id.bytes());
  }

  static Id id(String text) {
    return Id.ofBytes(Base64.getUrlDecoder().decode(text));
  }
}
