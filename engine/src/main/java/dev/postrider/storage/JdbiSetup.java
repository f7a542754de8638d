package dev.postrider.storage;

import dev.postrider.id.Id;
import dev.postrider.id.TypedId;
import java.lang.reflect.Type;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.argument.AbstractArgumentFactory;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.argument.ArgumentFactory;
import org.jdbi.v3.core.config.ConfigRegistry;
import org.jdbi.v3.core.mapper.ColumnMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * Registers our id types with Jdbi in the form that the dialect stores, and times, which are stored
 * in milliseconds.
 */
public final class JdbiSetup {
  private JdbiSetup() {}

  public static Jdbi configure(Jdbi jdbi, Dialect dialect) {
    jdbi.registerArgument(new IdArguments(dialect));
    jdbi.registerArgument(new TimeArguments());
    jdbi.registerColumnMapper(Id.class, new IdMapper(dialect));
    return jdbi;
  }

  private record IdArguments(Dialect dialect) implements ArgumentFactory {
    @Override
    public Optional<Argument> build(Type type, Object value, ConfigRegistry config) {
      return switch (value) {
        case Id id -> Optional.of(argument(id));
        case TypedId typed -> Optional.of(argument(typed.value()));
        case null, default -> isId(type) ? Optional.of(argument(null)) : Optional.empty();
      };
    }

    private static boolean isId(Type type) {
      return type == Id.class
          || (type instanceof Class<?> typed && TypedId.class.isAssignableFrom(typed));
    }

    private Argument argument(@Nullable Id id) {
      return (index, statement, context) -> dialect.bind(statement, index, id);
    }
  }

  private static final class TimeArguments extends AbstractArgumentFactory<Instant> {
    TimeArguments() {
      super(Types.BIGINT);
    }

    @Override
    protected Argument build(Instant time, ConfigRegistry config) {
      return (index, statement, context) -> statement.setLong(index, time.toEpochMilli());
    }
  }

  private record IdMapper(Dialect dialect) implements ColumnMapper<Id> {
    @Override
    @SuppressWarnings(
        "NullAway") // a null column is a null id; Jdbi's interface has no annotation for it
    public Id map(ResultSet row, int column, StatementContext context) throws SQLException {
      return dialect.read(row, column);
    }
  }

  /** The JDBC type of an absent id. */
  static int nullType(Dialect dialect) {
    return dialect == Dialect.SQLITE ? Types.BLOB : Types.OTHER;
  }
}
