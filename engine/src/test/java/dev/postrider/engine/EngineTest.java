package dev.postrider.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.options.DatabaseOptions;
import dev.postrider.options.MasterKeySource;
import dev.postrider.storage.StorageException;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.Signals;
import dev.postrider.testkit.TestEngine;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine as a library: only its exported API is used. */
class EngineTest {
  @TempDir Path folder;

  @Test
  void deliversOnAFile() throws Exception {
    try (Receiver receiver = new Receiver();
        Engine engine =
            Engine.builder().sqlite(folder).allowTargets("127.0.0.0/8").allowPlainHttp().build()) {
      deliver(engine, receiver);
    }
  }

  @Test
  void usesTheGivenClock() throws Exception {
    Instant yesterday = Instant.now().minus(Duration.ofDays(1));
    try (Receiver receiver = new Receiver();
        Engine engine =
            Engine.builder()
                .sqlite(folder)
                .clock(() -> yesterday)
                .allowTargets("127.0.0.0/8")
                .allowPlainHttp()
                .build()) {
      deliver(engine, receiver);
      assertThat(Long.parseLong(receiver.requests().getFirst().header("webhook-timestamp")))
          .isBetween(yesterday.getEpochSecond(), yesterday.getEpochSecond() + 600);
    }
  }

  @Test
  void deliversThroughADataSourceAndLeavesItAsItWas() throws Exception {
    DatabaseOptions.Postgres server = Databases.settings(Databases.freshSchema());
    try (HikariDataSource pool = pool(server)) {
      List<String> before = sessions(pool);
      try (Receiver receiver = new Receiver();
          Engine engine =
              Engine.builder()
                  .dataSource(pool, server.schema())
                  .masterKey(new MasterKeySource.Generated(folder.resolve("key")))
                  .allowTargets("127.0.0.0/8")
                  .allowPlainHttp()
                  .build()) {
        deliver(engine, receiver);
        Signals.poll(
            "no more than the permanent connections are held",
            () ->
                pool.getHikariPoolMXBean().getActiveConnections()
                    <= EngineBuilder.PERMANENT_CONNECTIONS);
      }
      Signals.poll(
          "every connection is back", () -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
      assertThat(pool.isClosed()).isFalse();
      assertThat(sessions(pool)).as("session settings").isEqualTo(before);
    }
  }

  private static HikariDataSource pool(DatabaseOptions.Postgres server) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.jdbcUrl());
    config.setUsername(server.user());
    config.setPassword(server.password().reveal());
    config.setMaximumPoolSize(EngineBuilder.PERMANENT_CONNECTIONS + 5);
    config.setMinimumIdle(EngineBuilder.PERMANENT_CONNECTIONS + 5);
    config.setAutoCommit(false);
    return new HikariDataSource(config);
  }

  /** What one session after the other has set; every pooled one is asked. */
  private static List<String> sessions(HikariDataSource pool) throws SQLException {
    List<Connection> borrowed = new ArrayList<>();
    List<String> shown = new ArrayList<>();
    try {
      for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
        Connection connection = pool.getConnection();
        borrowed.add(connection);
        try (Statement statement = connection.createStatement();
            ResultSet rows =
                statement.executeQuery(
                    // The pool itself sets the isolation level back, to its default.
                    "SELECT name || '=' || setting FROM pg_settings WHERE source = 'session'"
                        + " AND name <> 'default_transaction_isolation'"
                        + " UNION ALL SELECT 'listens' FROM pg_listening_channels() ORDER BY 1")) {
          List<String> settings = new ArrayList<>();
          while (rows.next()) {
            settings.add(rows.getString(1));
          }
          shown.add(settings + " " + connection.getAutoCommit());
        }
      }
    } finally {
      for (Connection connection : borrowed) {
        connection.close();
      }
    }
    return shown;
  }

  private static void deliver(Engine engine, Receiver receiver) throws Exception {
    Signals signals = new Signals();
    TestEngine.of(engine).signal(signals);
    engine.start();
    assertThat(engine.isHealthy()).isTrue();
    ApplicationId shop = engine.applications().getOrCreate("shop", "Shop");
    assertThat(engine.applications().getOrCreate("shop", "Shop")).isEqualTo(shop);
    EndpointId endpoint =
        engine
            .endpoints()
            .create(
                shop, NewEndpoint.of(URI.create(receiver.url("/hook"))).withEventTypes("order.*"));
    assertThat(engine.endpoints().secret(shop, endpoint)).startsWith("whsec_");
    assertThat(engine.endpoints().list(shop))
        .singleElement()
        .satisfies(
            listed -> {
              assertThat(listed.id()).isEqualTo(endpoint);
              assertThat(listed.eventTypes()).containsExactly("order.*");
            });

    OutgoingMessage paid =
        OutgoingMessage.of(shop, "order.paid", "{\"order\": 17}").withEventId("order-17");
    SentMessage sent = engine.send(paid);
    assertThat(sent.isDuplicate()).isFalse();
    assertThat(engine.send(paid)).isEqualTo(new SentMessage(sent.id(), true));
    assertThat(receiver.await(1).getFirst().text()).isEqualTo("{\"order\": 17}");
    signals.await(
        "the delivery is recorded",
        () ->
            engine.deliveries().ofMessage(shop, sent.id()).stream()
                .allMatch(
                    delivery ->
                        delivery.status() == DeliveryInfo.Status.DELIVERED
                            && delivery.attempts() == 1
                            && delivery.target().equals(endpoint.text())));

    SentMessage later =
        engine.send(
            OutgoingMessage.of(shop, "order.late", "1")
                .withDeliverAt(Instant.now().plusSeconds(3_600)));
    assertThat(engine.deliveries().ofMessage(shop, later.id()))
        .singleElement()
        .satisfies(
            delivery -> assertThat(delivery.status()).isEqualTo(DeliveryInfo.Status.PENDING));

    assertThatThrownBy(() -> engine.send(OutgoingMessage.of(shop, "order.paid", "{no json")))
        .isInstanceOfSatisfying(
            MessageRefused.class,
            refused -> assertThat(refused.reason()).isEqualTo(MessageRefused.Reason.INVALID));
    assertThatThrownBy(
            () -> engine.endpoints().create(shop, NewEndpoint.of(URI.create("http://10.0.0.1/"))))
        .isInstanceOf(IllegalArgumentException.class);

    assertThat(engine.endpoints().delete(shop, endpoint)).isTrue();
    assertThatThrownBy(() -> engine.endpoints().secret(shop, endpoint))
        .isInstanceOf(NoSuchElementException.class);
    assertThat(engine.applications().delete(shop)).isTrue();
    assertThatThrownBy(() -> engine.send(OutgoingMessage.of(shop, "order.paid", "{}")))
        .isInstanceOfSatisfying(
            MessageRefused.class,
            refused ->
                assertThat(refused.reason()).isEqualTo(MessageRefused.Reason.UNKNOWN_APPLICATION));
  }

  @Test
  void saysWhatIsMissing() {
    assertThatThrownBy(() -> Engine.builder().build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("sqlite(folder)");
    assertThatThrownBy(() -> new EndpointId("app_1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ep_");
  }

  @Test
  void refusesADataSourceOfAnotherDatabase() {
    org.sqlite.SQLiteDataSource other = new org.sqlite.SQLiteDataSource();
    other.setUrl("jdbc:sqlite:" + folder.resolve("other.db"));
    assertThatThrownBy(
            () ->
                Engine.builder()
                    .dataSource(other)
                    .masterKey(new MasterKeySource.Generated(folder.resolve("key")))
                    .build())
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("PostgreSQL driver");
  }
}
