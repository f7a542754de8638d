package dev.postrider.inbound.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.app.App;
import dev.postrider.testkit.GatewayBehaviour;
import dev.postrider.testkit.GatewayFixture.Answer;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.Receiver;
import org.junit.jupiter.api.Test;

/** A local stand-in for AWS SNS, whose messages are not verified. */
@OnEachDatabase
final class SnsStandInTest extends GatewayBehaviour {
  private static final String TOPIC = "arn:aws:sns:eu-west-1:000000000000:orders";

  private void source(App app, String options) {
    gateway.api(
        201,
        app,
        "POST",
        "/source",
        "{\"name\":\"orders\",\"verify\":\"aws-sns\",\"options\":{\"topics\":\"%s\"%s}}"
            .formatted(TOPIC, options));
  }

  private static String message(String type, String topic, String more) {
    return "{\"Type\":\"%s\",\"MessageId\":\"m-1\",\"TopicArn\":\"%s\",\"Message\":\"paid\"%s}"
        .formatted(type, topic, more);
  }

  private static String subscription(String url) {
    return message("SubscriptionConfirmation", TOPIC, ",\"SubscribeURL\":\"" + url + "\"");
  }

  private Answer sns(App app, String body) {
    return gateway.in(app, "orders", body, "Content-Type", "text/plain; charset=UTF-8");
  }

  @Test
  void unsignedMessagesOfTheTopicAreAccepted() {
    App app = gateway.start();
    source(app, "");
    assertThat(sns(app, message("Notification", TOPIC, "")).status()).as("verified").isEqualTo(401);
    Answer changed =
        gateway.api(
            200,
            app,
            "PATCH",
            "/source/orders",
            "{\"options\":{\"topics\":\"%s\",\"skip_verify\":\"true\"}}".formatted(TOPIC));
    assertThat(changed.text("/warning")).contains("skip_verify", "not verified");

    assertThat(sns(app, message("Notification", TOPIC, "")).status()).isEqualTo(200);
    Answer received = gateway.api(200, app, "GET", "/source/orders/received", "");
    assertThat(received.text("/data/0/signature")).isEqualTo("not_asked");
    assertThat(sns(app, message("Notification", TOPIC + "-2", "")).status())
        .as("another topic")
        .isEqualTo(401);
    assertThat(sns(app, "{}").status()).as("no message of SNS").isEqualTo(401);
  }

  @Test
  void onlyTheSubscriptionOfTheNamedStandInIsConfirmed() {
    try (Receiver standIn = new Receiver();
        Receiver stranger = new Receiver()) {
      App app = gateway.start();
      source(app, ",\"skip_verify\":\"true\"");
      String confirmation = "/?Action=ConfirmSubscription&Token=t-1";
      Answer unnamed = sns(app, subscription(standIn.url(confirmation)));
      assertThat(unnamed.status()).isEqualTo(200);
      assertThat(unnamed.response().body()).startsWith("not confirmed").contains("endpoint");

      gateway.api(
          200,
          app,
          "PATCH",
          "/source/orders",
          "{\"options\":{\"topics\":\"*\",\"skip_verify\":\"true\",\"endpoint\":\"%s\"}}"
              .formatted(standIn.url("/")));
      sns(app, subscription(stranger.url(confirmation)));
      sns(app, subscription(standIn.url("/?Action=DeleteTopic")));
      sns(app, subscription("http://user@" + standIn.url(confirmation).substring(7)));
      assertThat(stranger.requests(_ -> true)).isEmpty();
      assertThat(standIn.requests(_ -> true)).isEmpty();
      assertThat(sns(app, subscription(standIn.url(confirmation))).response().body())
          .isEqualTo("confirming\n");
      assertThat(standIn.requests(request -> request.path().equals(confirmation))).hasSize(1);
      assertThat(gateway.api(200, app, "GET", "/source/orders/received", "").json().get("data"))
          .as("no confirmation is a message")
          .isEmpty();
    }
  }

  @Test
  void theOptionsOfAStandInAreChecked() {
    App app = gateway.start();
    for (String options :
        new String[] {
          ",\"endpoint\":\"http://localhost:4566\"",
          ",\"skip_verify\":\"yes\"",
          ",\"skip_verify\":\"true\",\"endpoint\":\"http://localhost:4566/path\"",
          ",\"skip_verify\":\"true\",\"endpoint\":\"ftp://localhost\"",
          ",\"skip_verify\":\"true\",\"endpoint\":\"localhost:4566\""
        }) {
      Answer refused =
          gateway.api(
              422,
              app,
              "POST",
              "/source",
              "{\"name\":\"orders\",\"verify\":\"aws-sns\",\"options\":{\"topics\":\"*\"%s}}"
                  .formatted(options));
      assertThat(refused.response().body()).contains("option ");
    }
  }
}
