package dev.postrider.api;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.svix.Svix;
import com.svix.SvixOptions;
import com.svix.models.ApplicationIn;
import com.svix.models.EndpointHeadersPatchIn;
import com.svix.models.EndpointIn;
import com.svix.models.EventExampleIn;
import com.svix.models.MessageAttemptOut;
import com.svix.models.MessageIn;
import dev.postrider.message.NewMessage;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.CallsBehaviour;
import dev.postrider.testkit.api.HistoryFixture;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Calls of Svix's official Java client whose tests need a prepared history or a message that is not
 * sent; {@code SvixClientIT} has the others.
 */
@OnEachDatabase
final class SvixClientTest extends CallsBehaviour {
  private Svix svix;

  @BeforeEach
  void open() {
    SvixOptions options = new SvixOptions();
    options.setServerUrl("http://127.0.0.1:" + api.server.port());
    svix = new Svix(api.token, options);
  }

  @Test
  void messages() throws Exception {
    svix.getApplication().create(new ApplicationIn().name("Acme").uid("acme"));
    svix.getMessage()
        .create("acme", new MessageIn().eventType("invoice.paid").payload("{\"a\":1}"));
    NewMessage sent = api.acceptor.accepted.getLast();
    assertThat(new String(sent.payload(), StandardCharsets.UTF_8)).isEqualTo("{\"a\":1}");
    assertThat(sent.key()).as("the client always sends a key").isNotNull();

    HistoryFixture history = new HistoryFixture(api, database);
    history.fill();
    assertThat(svix.getMessage().list("acme").getData()).hasSize(3);
    assertThat(svix.getMessage().get("acme", "event-0").getId())
        .isEqualTo(history.messages.getFirst());
    var attempts = svix.getMessageAttempt().listByMsg("acme", "event-0").getData();
    assertThat(attempts).hasSize(2);
    MessageAttemptOut one =
        svix.getMessageAttempt()
            .get("acme", "event-0", requireNonNull(attempts.getFirst().getId()));
    assertThat(one.getResponseStatusCode()).isEqualTo((short) 200);
    assertThat(svix.getMessageAttempt().listByEndpoint("acme", "main").getData()).hasSize(2);
    assertThat(svix.getMessageAttempt().listAttemptedMessages("acme", "main").getData()).hasSize(2);
    assertThat(svix.getMessageAttempt().listAttemptedDestinations("acme", "event-0").getData())
        .hasSize(1);
    svix.getMessageAttempt()
        .expungeContent("acme", "event-0", requireNonNull(attempts.getFirst().getId()));
    assertThat(
            svix.getMessageAttempt()
                .get("acme", "event-0", requireNonNull(attempts.getFirst().getId()))
                .getResponse())
        .isEqualTo("EXPUNGED");
    svix.getMessage().expungeContent("acme", "event-0");
    assertThat(String.valueOf(svix.getMessage().get("acme", "event-0").getPayload()))
        .contains("expired");
    // resend() of this client fails by itself: it builds a POST without a body. SendTest covers the
    // call.
  }

  @Test
  void examplesAndStatistics() throws Exception {
    svix.getApplication().create(new ApplicationIn().name("Acme").uid("acme"));
    svix.getEndpoint()
        .create("acme", new EndpointIn().url(URI.create("https://example.com/")).uid("main"));
    svix.getEndpoint()
        .patchHeaders("acme", "main", new EndpointHeadersPatchIn().headers(Map.of("X-A", "1")));
    assertThat(
            svix.getEndpoint()
                .sendExample("acme", "main", new EventExampleIn().eventType("svix.ping"))
                .getId())
        .startsWith("msg_");
    assertThat(svix.getEndpoint().getStats("acme", "main").getPending()).isEqualTo(1);
  }
}
