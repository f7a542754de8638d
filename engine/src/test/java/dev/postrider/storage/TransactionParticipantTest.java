package dev.postrider.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.testkit.Databases;
import java.nio.file.Path;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransactionParticipantTest {
  @TempDir Path folder;

  private static int insert(Handle handle, String id) {
    return handle.execute(
        "INSERT INTO environments (id, name, created_at, updated_at) VALUES (?, 'n', 1, 1)", id);
  }

  private static int count(Database database) {
    return database.read(
        handle ->
            handle.createQuery("SELECT count(*) FROM environments").mapTo(Integer.class).one());
  }

  @ParameterizedTest
  @EnumSource
  void isNotPartOfATransactionOfItsOwn(Databases.Kind kind) throws Exception {
    try (Database database = kind.open(folder)) {
      int written =
          TransactionParticipant.with(
              handle -> insert(handle, "mark"),
              () ->
                  TransactionParticipant.without(
                      () -> database.<Integer>write(handle -> insert(handle, "apart"))));
      assertThat(written).isEqualTo(1);
      assertThat(count(database)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void isCommittedWithTheWorkOrNotAtAll(Databases.Kind kind) throws Exception {
    try (Database database = kind.open(folder)) {
      int written =
          TransactionParticipant.with(
              handle -> insert(handle, "mark"),
              () -> database.<Integer>write(handle -> insert(handle, "work")));
      assertThat(written).isEqualTo(1);
      assertThat(count(database)).isEqualTo(2);

      assertThatThrownBy(
              () ->
                  TransactionParticipant.with(
                      handle -> {
                        throw new IllegalStateException("taken over");
                      },
                      () -> database.<Integer>write(handle -> insert(handle, "second"))))
          .hasStackTraceContaining("taken over");
      assertThat(count(database)).as("the work was rolled back with it").isEqualTo(2);

      database.<Integer>write(handle -> insert(handle, "alone"));
      assertThat(count(database)).isEqualTo(3);
    }
  }
}
