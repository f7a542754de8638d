package dev.postrider.bench.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/**
 * The disk space of the stored messages, including indexes.
 *
 * @param tables bytes by table; of SQLite only the file as a whole
 */
public record Sizes(long messages, Map<String, Long> tables) {
  static Sizes postgres(String jdbcUrl, long messages) {
    Map<String, Long> tables = new LinkedHashMap<>();
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        Statement statement = connection.createStatement()) {
      for (PreloadTable table : Preload.TABLES) {
        String name = table.in(Storage.POSTGRES);
        // Of a partitioned table, that of its partitions.
        String size =
            "SELECT coalesce((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('%1$s')), pg_total_relation_size('%1$s'))"
                .formatted(name);
        try (ResultSet rows = statement.executeQuery(size)) {
          rows.next();
          tables.put(table.name(), rows.getLong(1));
        }
      }
    } catch (SQLException e) {
      throw new BenchFailure("cannot read the size of the tables: " + e.getMessage(), e);
    }
    return new Sizes(messages, tables);
  }

  static Sizes sqlite(Path file, long messages) {
    try {
      return new Sizes(messages, Map.of("file", Files.size(file)));
    } catch (IOException e) {
      throw new BenchFailure("cannot read the size of " + file + ": " + e.getMessage(), e);
    }
  }

  public double bytesPerMessage() {
    return messages == 0
        ? 0
        : tables.values().stream().mapToLong(Long::longValue).sum() / (double) messages;
  }

  /** As in {@code 1,000 messages: messages 700, attempts 200 bytes each}. */
  public String text() {
    StringJoiner parts = new StringJoiner(", ");
    tables.forEach(
        (name, bytes) -> parts.add("%s %,d".formatted(name, bytes / Math.max(1, messages))));
    return "bytes per message for %,d stored messages, including indexes: %s"
        .formatted(messages, parts);
  }
}
