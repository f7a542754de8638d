package dev.postrider.delivery.accept;

import static dev.postrider.delivery.accept.AcceptRig.message;
import static dev.postrider.endpoint.EndpointFields.ORDERED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.message.NewMessage;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Application;
import dev.postrider.testkit.CountedConnection;
import dev.postrider.testkit.Databases;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** On PostgreSQL the happy path of an accept is one statement (engine rule 4). */
class OneStatementTest {
  private final CountedConnection counted = new CountedConnection();

  private static NewMessage[] messages(Application application, int from) {
    List<NewMessage> messages = new ArrayList<>();
    for (int i = from; i < from + 20; i++) {
      messages.add(message(application, i, "e-" + i, "{}"));
    }
    return messages.toArray(NewMessage[]::new);
  }

  @Test
  void aBatchWithKeysEventIdsAndFanOutIsOneStatement() {
    try (Database database = Databases.postgres();
        AcceptRig rig = new AcceptRig(database)) {
      Application acme = rig.application("acme");
      rig.endpoint(acme);
      rig.endpoint(acme);
      rig.endpoint(acme);
      rig.accept(message(acme)); // loads the routing
      rig.wrap = counted::around;

      rig.acceptAll(messages(acme, 0));

      assertThat(rig.deliveries()).isEqualTo(63);
      assertThat(counted.take()).singleElement().asString().startsWith("WITH i AS");
    }
  }

  @Test
  void onlyOrderedLanesNeedATransaction() {
    try (Database database = Databases.postgres();
        AcceptRig rig = new AcceptRig(database)) {
      Application acme = rig.application("acme");
      rig.endpoint(acme, EndpointSpec.of("https://example.com/").with(ORDERED, true));
      rig.accept(message(acme));
      rig.wrap = counted::around;

      rig.acceptAll(messages(acme, 0));

      assertThat(counted.take())
          .as("one draw of places and one insert for all twenty, in one transaction")
          .satisfiesExactly(
              begun -> assertThat(begun).isEqualTo("setAutoCommit"),
              drawn -> assertThat(drawn).startsWith("UPDATE lanes"),
              inserted -> assertThat(inserted).startsWith("WITH i AS"),
              committed -> assertThat(committed).isEqualTo("commit"),
              ended -> assertThat(ended).isEqualTo("setAutoCommit"));
    }
  }
}
