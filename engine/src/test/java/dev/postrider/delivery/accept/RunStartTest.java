package dev.postrider.delivery.accept;

import static dev.postrider.testkit.builder.MessageBuilder.aMessage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.MessageStarts;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Row;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.TestEngine;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** An accepted message has inserted the runs that it starts, and nothing else of them. */
@OnEachDatabase
class RunStartTest extends EngineBehaviour {
  @Parameter Databases.Kind kind;

  private final List<MessageStarts.Start> started = Collections.synchronizedList(new ArrayList<>());
  private TestEngine engine;
  private Application source;
  private Id workflowApplication;

  private void begin() {
    engine = start(kind);
    source = engines.application(engine, "shop");
    workflowApplication = engines.application(engine, "order-workflow").id().value();
    engine.starts().use(started::addAll);
  }

  private Id trigger(String... patterns) {
    Id id = engine.ids().next();
    engine
        .database()
        .write(
            handle -> {
              handle
                  .createUpdate(
                      "INSERT INTO workflow_triggers (id, application_id, workflow_id,"
                          + " workflow_application_id) VALUES (:id, :app, :workflow, :own)")
                  .bind("id", id)
                  .bind("app", source.id())
                  .bind("workflow", engine.ids().next())
                  .bind("own", workflowApplication)
                  .execute();
              for (String pattern : patterns) {
                handle
                    .createUpdate(
                        "INSERT INTO subscriptions (application_id, endpoint_id, pattern) VALUES"
                            + " (:app, :id, :pattern)")
                    .bind("app", source.id())
                    .bind("id", id)
                    .bind("pattern", pattern)
                    .execute();
              }
              return handle
                  .createUpdate("UPDATE applications SET routing_version = routing_version + 1")
                  .execute();
            });
    return id;
  }

  private record Run(Id application, Id id, String key, String origin, String input, long due) {}

  private List<Run> runs() {
    return engine
        .database()
        .read(
            handle ->
                handle
                    .createQuery(
                        "SELECT application_id, id, start_key, origin, input, due_at FROM"
                            + " workflow_runs WHERE version_id IS NULL AND cause = 1 ORDER BY id")
                    .map(
                        Row.mapper(
                            engine.database().dialect(),
                            row ->
                                new Run(
                                    row.id("application_id"),
                                    row.id("id"),
                                    row.text("start_key"),
                                    row.text("origin"),
                                    new String(row.bytes("input"), StandardCharsets.UTF_8),
                                    row.number("due_at"))))
                    .list());
  }

  @Test
  void theAcceptCommitsARunRowOnly() {
    begin();
    trigger("order.*");
    trigger("invoice.paid");

    NewMessage message = aMessage(source).type("order.created").payload("{\"total\":7}").build();
    Id messageId = Engines.send(engine, message);

    assertThat(runs()).hasSize(1);
    Run run = runs().getFirst();
    assertThat(run.application()).isEqualTo(workflowApplication);
    assertThat(run.key()).isEqualTo(messageId.text(IdKind.MESSAGE));
    assertThat(run.input()).isEqualTo("{\"total\":7}");
    assertThat(run.due()).isLessThanOrEqualTo(engine.time().nowMs());
    assertThat(run.origin())
        .contains(messageId.text(IdKind.MESSAGE))
        .contains("order.created")
        .contains(source.id().text());
    assertThat(started).extracting(MessageStarts.Start::id).containsExactly(run.id());
    assertThat(Engines.count(engine, "workflow_history")).isZero();
    assertThat(Engines.count(engine, "deliveries")).isZero();
  }

  @Test
  void aTriggerWithoutTypesTakesAllAndOtherApplicationsStartNothing() {
    begin();
    trigger();
    Engines.send(engine, source, "{}");
    Engines.send(engine, engines.application(engine, "other"), "{}");

    assertThat(runs()).hasSize(1);
  }

  @Test
  void aRepeatedKeyStartsNoSecondRun() {
    begin();
    trigger();
    NewMessage message = aMessage(source).key(new NewMessage.IdempotencyKey(id(1), id(2))).build();

    AcceptResult first = engine.acceptor().accept(message);
    AcceptResult again = engine.acceptor().accept(message);

    assertThat(first).isInstanceOf(AcceptResult.Accepted.class);
    assertThat(again).isInstanceOf(AcceptResult.Accepted.class);
    assertThat(runs()).hasSize(1);
    assertThat(started).hasSize(1);
  }

  private static Id id(int n) {
    return new Id(n, n);
  }

  @Test
  void aTriggerThatIsNewIsSeenByTheNextMessage() {
    begin();
    Engines.send(engine, source, "{}");
    assertThat(runs()).isEmpty();
    trigger();

    Engines.send(engine, source, "{}");

    assertThat(runs()).hasSize(1);
  }
}
