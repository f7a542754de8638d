package dev.postrider.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What one batch may hold (engine rule 2). */
class BatchQueueTest {
  private record Entry(String name, int sizeInBytes, boolean continues)
      implements BatchQueue.Sized {
    Entry(String name, int size) {
      this(name, size, false);
    }
  }

  private static List<String> take(BatchQueue<Entry> queue, int rows, long bytes) {
    List<Entry> batch = new ArrayList<>();
    queue.take(batch, rows, bytes, 0);
    return batch.stream().map(Entry::name).toList();
  }

  private static BatchQueue<Entry> of(Entry... entries) {
    BatchQueue<Entry> queue = new BatchQueue<>(100, 1_000);
    for (Entry entry : entries) {
      assertThat(queue.offer(List.of(entry))).isTrue();
    }
    return queue;
  }

  @Test
  void aBatchIsBoundedInRows() {
    BatchQueue<Entry> queue = of(new Entry("a", 1), new Entry("b", 1), new Entry("c", 1));
    assertThat(take(queue, 2, 1_000)).containsExactly("a", "b");
    assertThat(take(queue, 2, 1_000)).containsExactly("c");
  }

  @Test
  void aBatchIsBoundedInBytes() {
    BatchQueue<Entry> queue =
        of(new Entry("a", 40), new Entry("b", 60), new Entry("c", 1), new Entry("d", 99));
    assertThat(take(queue, 100, 100)).as("exactly full").containsExactly("a", "b");
    assertThat(take(queue, 100, 100)).containsExactly("c", "d");
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  void anItemLargerThanABatchIsABatchAlone() {
    BatchQueue<Entry> queue = of(new Entry("a", 1), new Entry("huge", 500), new Entry("b", 1));
    assertThat(take(queue, 100, 100)).containsExactly("a");
    assertThat(take(queue, 100, 100)).containsExactly("huge");
    assertThat(take(queue, 100, 100)).containsExactly("b");
  }

  @Test
  void itemsOfOneCallAreNotSplit() {
    BatchQueue<Entry> queue = new BatchQueue<>(100, 1_000);
    assertThat(
            queue.offer(
                List.of(new Entry("a", 60, true), new Entry("b", 60, true), new Entry("c", 60))))
        .isTrue();
    assertThat(queue.offer(List.of(new Entry("d", 1)))).isTrue();
    assertThat(take(queue, 2, 100)).containsExactly("a", "b", "c");
    assertThat(take(queue, 2, 100)).containsExactly("d");
  }

  @Test
  void aFullQueueRejectsMoreItems() {
    BatchQueue<Entry> rows = new BatchQueue<>(1, 1_000);
    assertThat(rows.offer(List.of(new Entry("a", 1)))).isTrue();
    assertThat(rows.offer(List.of(new Entry("b", 1)))).isFalse();
    BatchQueue<Entry> bytes = new BatchQueue<>(100, 50);
    assertThat(bytes.offer(List.of(new Entry("a", 50)))).isTrue();
    assertThat(bytes.offer(List.of(new Entry("b", 1)))).isFalse();
    assertThat(take(bytes, 10, 100)).containsExactly("a");
    assertThat(bytes.offer(List.of(new Entry("b", 1)))).as("room again").isTrue();
  }
}
