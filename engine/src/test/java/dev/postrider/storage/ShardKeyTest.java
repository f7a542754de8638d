package dev.postrider.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.event.EventPublisher;
import dev.postrider.queue.Queue;
import dev.postrider.queue.QueueFields;
import dev.postrider.queue.QueueItem;
import dev.postrider.queue.QueueStore;
import dev.postrider.storage.sqlite.ObservedStatements;
import dev.postrider.storage.sqlite.SqliteDatabase;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Engines;
import dev.postrider.testkit.Receiver;
import dev.postrider.testkit.TestEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every statement on a growing table names the application, its shard key (engine rule 10): an
 * INSERT as its first column, all others in a condition next to each use of the table. A database
 * that is sharded by application then asks one shard.
 */
@Timeout(120)
class ShardKeyTest {
  /** {@code idempotency} is the view over the tables of its generations. */
  private static final String TABLES =
      "messages|deliveries|attempts|idempotency|idempotency_\\d|idempotency_long|event_ids";

  private static final Pattern USE =
      Pattern.compile(
          "\\b(?:from|join|update|into)\\s+(?:only\\s+)?(?<table>"
              + TABLES
              + ")\\b(?:\\s+(?:as\\s+)?(?<alias>[a-z]\\w*))?");

  /** Words after the name of a table that are not its alias. */
  private static final Set<String> KEYWORDS =
      Set.of(
          "where", "set", "order", "limit", "on", "join", "left", "for", "group", "values",
          "select", "union", "cross");

  /**
   * Statements over all applications, which a sharded database sends to every shard: none of them
   * is in the path of a message. Each is named by a part of its text.
   */
  private static final Map<String, String> OVER_ALL =
      Map.of(
          "coalesce(next_attempt_at, dead_at) IS NOT NULL AND CASE",
          "the list of open deliveries of an environment",
          " session_id = ? AND id < ?",
          "the list of an agent session in an environment",
          "WHERE lease_until IS NOT NULL AND ",
          "rescue and reconciliation, by instance",
          "SELECT application_id, id, expires_at FROM messages",
          "expiry of payloads, paced");

  @TempDir Path folder;

  @Test
  void everyStatementOnAGrowingTableNamesTheApplication() throws Exception {
    Set<String> statements = ConcurrentHashMap.newKeySet();
    try (Receiver receiver = new Receiver();
        Engines engines = new Engines(Databases.Kind.SQLITE, folder)) {
      PlanTest.Delivered delivered = new PlanTest.Delivered();
      TestEngine engine = engines.start(delivered, "RETRY_SCHEDULE=0s,0s");
      SqliteDatabase database = (SqliteDatabase) engine.database();
      try (ObservedStatements _ = new ObservedStatements(database, statements::add)) {
        PlanTest.deliverAndList(engine, engines, receiver, delivered, 200);
        queues(engine, engines);
      }
    }
    for (String type :
        List.of(
            "accept.PostgresAccept",
            "accept.LaneKeyStatements",
            "accept.AfterInsertStatements",
            "store.PostgresStatements",
            "store.DueStore",
            "step.PostgresStepStatements",
            "step.StepCallStore",
            "store.LaneStore")) {
      statements.addAll(PlanTest.constants("dev.postrider.delivery." + type));
    }
    Set<String> without = new TreeSet<>();
    int uses = 0;
    for (String sql : statements) {
      List<Use> found = uses(sql);
      uses += found.size();
      if (OVER_ALL.keySet().stream().noneMatch(sql::contains)) {
        found.stream()
            .filter(use -> !use.named())
            .forEach(use -> without.add(use.table() + " in " + sql));
      }
    }
    assertThat(uses).as("uses of growing tables").isGreaterThan(80);
    assertThat(without).isEmpty();
  }

  /** Receives, acknowledges, releases, looks into and empties a queue. */
  private static void queues(TestEngine engine, Engines engines) {
    Application application = engines.application(engine, "queues");
    Queue queue =
        new QueueStore(engine.database(), engine.ids(), engine.time(), EventPublisher.NONE)
            .create(
                application,
                Queue.Spec.of("audit").with(QueueFields.MAX_ATTEMPTS, 1),
                "qk_0123456789abcdef");
    assertThat(queue).isNotNull();
    for (int i = 0; i < 3; i++) {
      Engines.send(engine, application, "{}");
    }
    engine.queues().peek(queue, 5);
    List<QueueItem> items = engine.queues().receive(queue, 2, Duration.ZERO, null);
    assertThat(items).hasSize(2);
    engine.queues().ack(queue, List.of(items.getFirst().receipt()));
    engine.queues().nack(queue, List.of(items.getLast().receipt()), Duration.ZERO);
    engine.queues().depth(queue);
    engine.queues().redrive(queue);
  }

  private record Use(String table, boolean named) {}

  /** Each use of a growing table in the statement. */
  private static List<Use> uses(String statement) {
    String sql =
        statement.toLowerCase(Locale.ROOT).replaceAll("--[^\n]*", " ").replaceAll("'[^']*'", "''");
    List<Use> uses = new ArrayList<>();
    Matcher use = USE.matcher(sql);
    while (use.find()) {
      String table = use.group("table");
      boolean isInsert = use.group().startsWith("into");
      uses.add(
          new Use(
              table,
              isInsert
                  ? sql.substring(use.end("table"))
                      .matches("(?s)(\\s+as\\s+\\w+)?\\s*\\(application_id,.*")
                  : isBound(scope(sql, use.start()), table, use.group("alias"))));
    }
    return uses;
  }

  private static boolean isBound(String scope, String table, String word) {
    boolean hasAlias = word != null && !KEYWORDS.contains(word);
    String column =
        "(?:"
            + (hasAlias ? word : "(?:" + table + "\\.)?")
            + (hasAlias ? "\\." : "")
            + "application_id)";
    return Pattern.compile(
            "\\(?" + column + "(?:, [a-z.]*\\w+\\))?\\s*(?:=|>|in\\b)|=\\s*" + column + "(?!\\w)")
        .matcher(scope)
        .find();
  }

  /** The innermost query around that place, without the queries inside it. */
  private static String scope(String sql, int at) {
    int from = at;
    for (int depth = 0; from > 0; from--) {
      char c = sql.charAt(from - 1);
      depth += c == ')' ? 1 : c == '(' ? -1 : 0;
      if (depth < 0) {
        break;
      }
    }
    int to = at;
    for (int depth = 0; to < sql.length(); to++) {
      char c = sql.charAt(to);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth < 0) {
        break;
      }
    }
    return withoutQueries(sql.substring(from, to));
  }

  private static String withoutQueries(String sql) {
    StringBuilder kept = new StringBuilder();
    int hidden = 0;
    int depth = 0;
    for (int i = 0; i < sql.length(); i++) {
      char c = sql.charAt(i);
      if (c == '(') {
        depth++;
        if (hidden == 0 && sql.startsWith("select", i + 1)) {
          hidden = depth;
        }
      }
      if (hidden == 0) {
        kept.append(c);
      }
      if (c == ')') {
        hidden = hidden == depth ? 0 : hidden;
        depth--;
      }
    }
    return kept.toString();
  }
}
