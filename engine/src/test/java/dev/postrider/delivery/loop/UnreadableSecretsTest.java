package dev.postrider.delivery.loop;

import static dev.postrider.delivery.DeliveryStatus.DEAD_LETTER;
import static dev.postrider.delivery.DeliveryStatus.DELIVERED;
import static dev.postrider.delivery.DeliveryStatus.PENDING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.EngineBehaviour;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.KmsStandIn;
import dev.postrider.testkit.TestEngine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Secrets that cannot be read: for ever, or for now. */
class UnreadableSecretsTest extends EngineBehaviour {
  @ParameterizedTest
  @EnumSource
  void aCorruptSecretEndsOnlyItsOwnDeliveries(Databases.Kind kind) {
    TestEngine engine = start(kind);
    Application application = engines.application(engine, "acme");
    Endpoint corrupt = engines.endpoint(engine, application, receiver.url("/corrupt"));
    Endpoint garbled =
        engines.endpoint(engine, application, EndpointSpec.of(receiver.url("/garbled")));
    Endpoint good = engines.endpoint(engine, application, receiver.url("/good"));
    engine
        .database()
        .write(
            handle -> {
              handle
                  .createUpdate(
                      "UPDATE signing_secrets SET sealed = (SELECT s.sealed FROM signing_secrets s"
                          + " WHERE s.owner_id = :other) WHERE owner_id = :owner")
                  .bind("owner", corrupt.id())
                  .bind("other", good.id())
                  .execute();
              return handle
                  .createUpdate(
                      "UPDATE endpoints SET signature_scheme = 'no such scheme' WHERE id = :id")
                  .bind("id", garbled.id())
                  .execute();
            });

    sendMany(engine, application, 5);

    await(
        "all have ended",
        () ->
            Engines.deliveries(engine).stream()
                .allMatch(row -> row.status() == DELIVERED || row.status() == DEAD_LETTER));
    assertThat(deliveriesTo(engine, corrupt))
        .hasSize(5)
        .allMatch(row -> row.status() == DEAD_LETTER && row.reason().equals("secret_unreadable"));
    assertThat(deliveriesTo(engine, garbled))
        .hasSize(5)
        .allMatch(row -> row.status() == DEAD_LETTER && row.reason().equals("corrupt"));
    assertThat(deliveriesTo(engine, good)).hasSize(5).allMatch(row -> row.status() == DELIVERED);
    await(
        "all places are free",
        () -> engine.lanes().room().inFlight() == 0 && engine.lanes().room().leased() == 0);
  }

  @ParameterizedTest
  @EnumSource
  void withoutTheMasterKeyDeliveriesWaitAndSpendNoAttempts(Databases.Kind kind) {
    TestEngine before = start(kind);
    Application application = engines.application(before, "acme");
    Endpoint endpoint = engines.endpoint(before, application, receiver.url("/"));
    engines.stop(before);
    TestEngine engine = engines.start();
    // As if the service that holds the master key were unavailable: no data key can be opened.
    Engines.sql(engine, "UPDATE data_keys SET master_key_id = 'away.' || master_key_id");

    sendMany(engine, application, 3);
    await(
        "given back",
        () ->
            deliveriesTo(engine, endpoint).stream()
                .allMatch(row -> row.status() == PENDING && row.leaseVersion() >= 1));
    assertThat(deliveriesTo(engine, endpoint))
        .hasSize(3)
        .allMatch(row -> row.attempts() == 0 && row.nextAttemptAt() > engine.time().nowMs());
    assertThat(Engines.attempts(engine)).isZero();
    assertThat(receiver.requests()).isEmpty();

    Engines.sql(engine, "UPDATE data_keys SET master_key_id = substr(master_key_id, 6)");
    await(
        "delivered",
        () -> {
          // Rather than wait for the pauses of the sender and of the keyring.
          Engines.sql(
              engine,
              "UPDATE deliveries SET next_attempt_at = 1 WHERE next_attempt_at IS NOT NULL");
          engine.lanes().unpark(endpoint.applicationId().value(), endpoint.id().value(), 0);
          return receiver.count() == 3;
        });
    untilAllAre(engine, DELIVERED);
  }

  /** The master key is in a KMS, and the KMS goes away and comes back. */
  @ParameterizedTest
  @EnumSource
  void withoutTheKmsDeliveriesWaitAndSpendNoAttempts(Databases.Kind kind) throws Exception {
    try (KmsStandIn kms = new KmsStandIn()) {
      whileItIsAwayDeliveriesWaitAndSpendNothing(kind, kms);
    }
  }

  private void whileItIsAwayDeliveriesWaitAndSpendNothing(Databases.Kind kind, KmsStandIn kms) {
    String[] key = {
      "MASTER_KEY=vault://transit/postrider",
      "env:VAULT_ADDR=" + kms.url(),
      "env:VAULT_TOKEN=" + KmsStandIn.TOKEN
    };
    TestEngine before = start(kind, key);
    Application application = engines.application(before, "acme");
    Endpoint endpoint = engines.endpoint(before, application, receiver.url("/"));
    Engines.send(before, application, "{}");
    untilAllAre(before, DELIVERED);
    engines.stop(before);
    TestEngine engine = engines.start(key); // remembers no data key
    kms.away(true);
    int asked = kms.asked();

    sendMany(engine, application, 3);
    await(
        "given back",
        () ->
            deliveriesTo(engine, endpoint).stream()
                .filter(row -> row.status() != DELIVERED)
                .allMatch(row -> row.status() == PENDING && row.leaseVersion() >= 1));
    assertThat(kms.asked()).as("the KMS was asked").isGreaterThan(asked);
    assertThat(deliveriesTo(engine, endpoint).stream().filter(row -> row.status() != DELIVERED))
        .hasSize(3)
        .allMatch(row -> row.attempts() == 0 && row.nextAttemptAt() > engine.time().nowMs());
    assertThat(Engines.attempts(engine)).as("only the one from before").isEqualTo(1);
    assertThat(receiver.requests()).hasSize(1);

    kms.away(false);
    await(
        "delivered",
        () -> {
          // Rather than wait for the pauses of the sender and of the keyring.
          Engines.sql(
              engine,
              "UPDATE deliveries SET next_attempt_at = 1 WHERE next_attempt_at IS NOT NULL");
          engine.lanes().unpark(endpoint.applicationId().value(), endpoint.id().value(), 0);
          return receiver.count() == 4;
        });
    untilAllAre(engine, DELIVERED);
    assertThat(Engines.attempts(engine)).isEqualTo(4);
  }
}
