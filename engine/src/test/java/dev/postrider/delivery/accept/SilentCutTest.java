package dev.postrider.delivery.accept;

import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.message.AcceptResult;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Relay;
import dev.postrider.testkit.TestEngine;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The network falls silent: nothing is closed, nothing is answered (engine rule 5). */
class SilentCutTest extends EngineBehaviour {

  @Test
  @Timeout(90)
  void acceptsAreAnsweredAndAllDeliveriesFollow() throws Exception {
    URI server = URI.create(Databases.settings("x").jdbcUrl().substring("jdbc:".length()));
    try (Relay relay = new Relay(server.getPort())) {
      TestEngine engine =
          start(
              Databases.Kind.POSTGRES,
              "DATABASE_URL=postgres://postgres@127.0.0.1:" + relay.port() + "/postgres",
              "DATABASE_STATEMENT_TIMEOUT=2s");
      Application application = engines.application(engine, "acme");
      engines.endpoint(engine, application, receiver.url("/"));
      Engines.send(engine, application, "{\"n\":1}");
      receiver.await(1);

      assertThat(relay.swallow()).as("accept, finish, claim, heartbeat, pool").isGreaterThan(4);
      AcceptResult during =
          CompletableFuture.supplyAsync(
                  () -> engine.acceptor().accept(Engines.message(application, "{\"n\":2}")),
                  Thread::startVirtualThread)
              .get(30, TimeUnit.SECONDS);

      assertThat(during).isInstanceOf(AcceptResult.Refused.class);
      await(
          "accepting again",
          () ->
              engine.acceptor().accept(Engines.message(application, "{\"n\":3}"))
                  instanceof AcceptResult.Accepted);
      receiver.await(1, request -> request.text().contains("3"));
      await("healthy", engine::healthy);
      untilAllAre(engine, DELIVERED);
      engines.stop(engine); // before its network goes
    }
  }
}
