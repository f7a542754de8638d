package dev.postrider.testkit;

import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.field.FieldValues;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.message.NewStepCall;
import dev.postrider.message.StepAnswer;
import dev.postrider.message.StepCall;
import dev.postrider.message.StepCalls;
import dev.postrider.message.StepOrigin;
import dev.postrider.message.StepWork;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.tenant.Application;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Owns requests of steps, as the workflows of a server do; a test settles the answers itself. */
public final class StepOwner implements StepWork {
  private static final byte[] PLACEHOLDER_VALUE =
      "token-of-this-send".getBytes(StandardCharsets.UTF_8);

  private final TestEngine engine;
  private final Application application;
  private final Signals signals;
  private final String url;
  private final Queue<StepAnswer> answers = new ConcurrentLinkedQueue<>();
  private final Id version;

  /**
   * Registers at the engine.
   *
   * @param url of all steps
   * @param version the same for owners of the same requests on other instances
   */
  public StepOwner(
      TestEngine engine, Application application, Signals signals, String url, Id version) {
    this.engine = engine;
    this.application = application;
    this.signals = signals;
    this.url = url;
    this.version = version;
    engine.steps().slot().use(this, (_, step) -> config(step), 1 << 20);
  }

  private EndpointConfig config(int step) {
    return new EndpointConfig(
        application.id(),
        new EndpointId(version),
        application.environmentId(),
        1,
        FieldValues.NONE.with(EndpointFields.URL, url + step),
        new EndpointConfig.Request("POST", null, null, Map.of("x-step", Integer.toString(step))),
        new EndpointConfig.Signing(SignatureScheme.of(null), List.of()),
        new EndpointConfig.Shape(false, false),
        new EndpointConfig.RetryPolicies(null, null),
        false,
        false);
  }

  @Override
  public void answered(StepAnswer answer) {
    answers.add(answer);
    signals.signal();
  }

  @Override
  public byte[] filled(StepCall call, byte[] stored) {
    return new String(stored, StandardCharsets.UTF_8).equals("{{token}}")
        ? PLACEHOLDER_VALUE
        : stored;
  }

  @Override
  public String header(StepCall call, String value) {
    return value.replace("{{secrets.PAY}}", "secret-of-this-send");
  }

  private StepCalls calls() {
    return engine.steps().calls();
  }

  /** Creates the lane of a step. */
  public Id lane(String step, @Nullable Integer throttlePerSecond) {
    Id id = engine.ids().next();
    engine
        .database()
        .write(
            handle -> {
              handle
                  .createUpdate(
                      "INSERT INTO step_lanes (id, application_id, step, throttle_rate,"
                          + " throttle_burst, updated_at) VALUES (:id, :app, :step, :rate, 1, 1)")
                  .bind("id", id)
                  .bind("app", application.id())
                  .bind("step", step)
                  .bind("rate", throttlePerSecond)
                  .execute();
              return handle
                  .createUpdate("INSERT INTO lanes (id, application_id) VALUES (:id, :app)")
                  .bind("id", id)
                  .bind("app", application.id())
                  .execute();
            });
    return id;
  }

  /** Creates a run whose row 1 of the history has this body, and a request of it. */
  public NewStepCall call(Id laneId, int step, String body, @Nullable String shape) {
    Id run = engine.ids().next();
    Id id = engine.ids().next();
    engine
        .database()
        .write(
            handle -> {
              handle
                  .createUpdate(
                      "INSERT INTO workflow_runs (application_id, id, workflow_id, version_id,"
                          + " status, cause) VALUES (:app, :id, :id, :version, 0, 0)")
                  .bind("app", application.id())
                  .bind("id", run)
                  .bind("version", version)
                  .execute();
              return handle
                  .createUpdate(
                      "INSERT INTO workflow_history (application_id, run_id, seq, kind, at,"
                          + " run_status, step, value) VALUES (:app, :run, 1, 10, 1, 0, :step,"
                          + " :body)")
                  .bind("app", application.id())
                  .bind("run", run)
                  .bind("step", step)
                  .bind("body", body.getBytes(StandardCharsets.UTF_8))
                  .execute();
            });
    return new NewStepCall(
        new StepCall(
            application.id().value(), id, laneId, new StepOrigin(run, 1, 0, version, step)),
        body.getBytes(StandardCharsets.UTF_8),
        shape,
        NewStepCall.Limits.NONE);
  }

  /** Inserts requests, as after a transition. */
  public void insert(List<NewStepCall> calls) {
    settle(List.of(), List.of(), calls, call -> true);
  }

  /** The oldest answer, which is waited for. */
  public StepAnswer answer() {
    signals.await("an answer", () -> !answers.isEmpty());
    return answers.remove();
  }

  public boolean hasAnswer() {
    return !answers.isEmpty();
  }

  /** One transaction of the owner. */
  public StepCalls.Settled settle(
      List<StepCalls.End> ends,
      Collection<StepCall> withdrawn,
      List<NewStepCall> next,
      Predicate<StepCall> wanted) {
    StepCalls.Batch batch = calls().admit(next);
    StepCalls.Settled settled =
        calls()
            .transactions()
            .write(
                handle -> {
                  StepCalls.Settled written = calls().settle(handle, ends, withdrawn);
                  calls().insert(handle, batch, wanted);
                  return written;
                });
    calls().committed(batch, new ArrayList<>(settled.ended().values()));
    return settled;
  }

  /** The request is over. */
  public StepCalls.Ended end(StepAnswer answer) {
    return settled(new StepCalls.End(answer, null));
  }

  public StepCalls.Ended retry(StepAnswer answer, long delayMs) {
    return settled(new StepCalls.End(answer, delayMs));
  }

  private StepCalls.Ended settled(StepCalls.End end) {
    StepCalls.Ended ended =
        settle(List.of(end), List.of(), List.of(), call -> true)
            .ended()
            .get(end.answer().call().id());
    if (ended == null) {
      throw new AssertionError("not settled");
    }
    return ended;
  }

  public StepCalls.@Nullable Withdrawn withdraw(StepCall call) {
    return settle(List.of(), List.of(call), List.of(), other -> true).withdrawn().get(call.id());
  }

  /** The run is canceled: its requests are those of an older epoch. */
  public void newEpoch(StepCall call) {
    Engines.sql(engine, "UPDATE workflow_runs SET epoch = epoch + 1");
  }
}
