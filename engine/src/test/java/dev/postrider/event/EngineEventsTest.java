package dev.postrider.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

final class EngineEventsTest {
  private sealed interface Color extends Event {}

  private record Red() implements Color {}

  private record Blue(int shade) implements Color {}

  private record Other() implements Event {}

  private final EngineEvents events = new EngineEvents();
  private final List<Event> heard = new ArrayList<>();

  @Test
  void listenersGetEventsOfTheirTypeInOrderOfRegistration() {
    List<String> order = new ArrayList<>();
    events.afterCommit(Red.class, _ -> order.add("red"));
    events.afterCommit(Color.class, event -> order.add("color " + event));
    events.afterCommit(Other.class, _ -> order.add("other"));

    events.publish(new Red());
    events.publish(new Blue(1));

    assertThat(order).containsExactly("red", "color Red[]", "color Blue[shade=1]");
  }

  @Test
  void deferredEventsWaitForTheCommitAndOfEqualOnesTheLastCounts() {
    events.afterCommit(Color.class, heard::add);
    DeferredEvents deferred = new DeferredEvents(events);

    deferred.publish(new Blue(1));
    deferred.publish(new Red());
    deferred.publish(new Blue(1));
    assertThat(heard).isEmpty();

    deferred.release();
    assertThat(heard).containsExactly(new Red(), new Blue(1));
    deferred.release();
    assertThat(heard).as("released once").hasSize(2);
  }

  @Test
  void listenersInATransactionAreCalledAtOnceAndAFailureReachesThePublisher() {
    try (Handle handle = Jdbi.create("jdbc:sqlite::memory:").open()) {
      List<Handle> handles = new ArrayList<>();
      events.inTransaction(
          Color.class,
          (given, event) -> {
            handles.add(given);
            heard.add(event);
          });
      DeferredEvents deferred = new DeferredEvents(events);

      deferred.publish(handle, new Red());
      deferred.publish(handle, new Other());
      deferred.publish(new Blue(1)); // after the commit: not for these listeners
      deferred.release();
      assertThat(heard).containsExactly(new Red());
      assertThat(handles).containsExactly(handle);

      events.inTransaction(
          Other.class,
          (_, _) -> {
            throw new IllegalStateException("full");
          });
      assertThatThrownBy(() -> deferred.publish(handle, new Other())).hasMessage("full");
    }
  }
}
