package dev.postrider.storage.sqlite;

import dev.postrider.storage.Database;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;

/**
 * The statements that a SQLite database executes through Jdbi, for tests of query plans. Readers
 * and writer have a Jdbi each; the logger that each has stays in use.
 */
public final class ObservedStatements implements AutoCloseable {
  private final Map<Jdbi, SqlLogger> before = new ConcurrentHashMap<>();

  /** From now until the close. */
  public ObservedStatements(Database database, Consumer<String> observer) {
    database.read(handle -> observe(handle, observer));
    database.write(handle -> observe(handle, observer));
  }

  private Jdbi observe(Handle handle, Consumer<String> observer) {
    Jdbi jdbi = handle.getJdbi();
    SqlLogger logger = jdbi.getConfig(SqlStatements.class).getSqlLogger();
    before.put(jdbi, logger);
    return jdbi.setSqlLogger(
        new SqlLogger() {
          @Override
          public void logBeforeExecution(StatementContext context) {
            observer.accept(context.getParsedSql().getSql());
            logger.logBeforeExecution(context);
          }
        });
  }

  @Override
  public void close() {
    before.forEach(Jdbi::setSqlLogger);
  }
}
