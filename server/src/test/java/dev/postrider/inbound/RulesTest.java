package dev.postrider.inbound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.inbound.body.DedupeRule;
import dev.postrider.inbound.body.EventTypeRule;
import dev.postrider.inbound.request.Extractor;
import dev.postrider.inbound.request.Headers;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.verify.Verifiers;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Event types and dedupe keys. */
class RulesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          github | X-GitHub-Event: push, X-GitHub-Delivery: d-1 | {"ref":"main"} | push | d-1
          github | X-GitHub-Event: pull_request | {"x":{"action":"no"},"action":"opened"} | pull_request.opened |
          github | X-GitHub-Event: push | not json | push |
          gitlab | X-Gitlab-Event: Push Hook, Idempotency-Key: k-1, X-Gitlab-Event-UUID: u-1 | {} | push | k-1
          gitlab | X-Gitlab-Event: Merge Request Hook, X-Gitlab-Event-UUID: u-1 | {"object_attributes":{"action":"open"}} | merge_request.open | u-1 sha256:061b5beeb30649e459dedea1e1a3184a26bce2c0eff743327300a655dd8c2f36
          shopify | X-Shopify-Topic: orders/create, X-Shopify-Webhook-Id: w-1 | {} | orders.create | w-1
          stripe | | {"id":"evt_1","type":"invoice.paid"} | invoice.paid | evt_1
          slack | | {"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention"}} | app_mention | Ev1
          slack | Content-Type: application/x-www-form-urlencoded | command=%2Fx&text= | slash_command |
          slack | Content-Type: application/x-www-form-urlencoded | payload=%7B%22type%22%3A%22block_actions%22%7D | block_actions |
          twilio | Content-Type: application/x-www-form-urlencoded, I-Twilio-Idempotency-Token: t-1 | MessageStatus=delivered | message.delivered | t-1
          pagerduty | | {"event":{"id":"e-1","event_type":"incident.triggered"}} | incident.triggered | e-1
          linear | Linear-Delivery: d-1 | {"type":"Issue","action":"create"} | Issue.create | d-1
          paddle | | {"event_id":"evt_1","event_type":"transaction.completed"} | transaction.completed | evt_1
          grafana | | {"status":"firing"} | alert.firing |
          terraform | | {"notifications":[{"trigger":"run:created"}]} | run.created |
          zoom | | {"event":"meeting.started"} | meeting.started |
          intercom | | {"id":"notif_1","topic":"conversation.user.created"} | conversation.user.created | notif_1
          hubspot | | [{"subscriptionType":"contact.creation"}] | contact.creation |
          square | | {"event_id":"e-1","type":"payment.created"} | payment.created | e-1
          adyen | | {"notificationItems":[{"NotificationRequestItem":{"pspReference":"p","eventCode":"CAPTURE","success":"true"}}]} | CAPTURE | p:CAPTURE:true
          sendgrid | | [{"event":"dropped"}] | dropped |
          mailgun | | {"signature":{"token":"t-1"},"event-data":{"event":"opened"}} | opened | t-1
          discord | | {"id":"i-1","type":2} | interaction.2 | i-1
          whatsapp | | {"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages"}]}]} | whatsapp_business_account.messages |
          asana | | {"events":[{"action":"changed","resource":{"resource_type":"task"}}]} | task.changed |
          zendesk | X-Zendesk-Webhook-Invocation-Id: z-1 | {"type":"zen:event-type:ticket.created"} | zen.event-type.ticket.created | z-1
          typeform | | {"event_id":"e-1","event_type":"form_response"} | form_response | e-1
          aws-sns | | {"MessageId":"m-1","Message":"{\\"detail-type\\":\\"EC2 State\\"}"} | EC2_State | m-1
          aws-sns | | {"MessageId":"m-1","Message":"hi"} | sns.notification | m-1
          microsoft-graph | | {"value":[{"changeType":"created"}]} | created |
          standard-webhooks | webhook-id: msg_1 | {"type":"a.b"} | a.b | msg_1
          svix | svix-id: msg_1 | {"type":"a.b"} | a.b | msg_1
          ghasi | X-Ghasi-Event: DLR_DELIVERED, X-Ghasi-Delivery-Id: d-1 | {} | DLR_DELIVERED | d-1
          hmac | ce-type: com.example.x, ce-id: 1, ce-source: /s | {} | com.example.x | /s#1
          hmac | Content-Type: application/cloudevents+json; charset=utf-8 | {"type":"t","id":"1","source":"s"} | t | s#1
          hmac | ce-type: com.example.%C3%BC, ce-id: %31, ce-source: /s%20x | {} | com.example._ | /s x#1
          hmac | ce-type: 50%, ce-id: %ff, ce-source: /s | {} | 50_ | /s#%ff
          hmac | | {"event":"e"} | e |
          none | | [1,2] | event |
          none | | {"type":{"a":1}} | event |
          none | | | event |
          """)
  void typeAndIdOfProvidersAreFound(
      String scheme, String headers, String body, String type, String key) {
    InboundRequest request = request(headers, body);
    assertThat(EventTypeRule.ofScheme(scheme).typeOf(request)).isEqualTo(type);
    assertThat(DedupeRule.ofScheme(scheme).keyOf(request)).isEqualTo(key);
  }

  @Test
  void typesAreAlwaysOfTheAllowedForm() {
    assertThat(EventTypeRule.sanitise(" a/b:c d\u00e4\u0000e ")).isEqualTo("a.b.c_d_e");
    assertThat(EventTypeRule.sanitise("\ud83d\ude00".repeat(300))).matches("[a-zA-Z0-9_.-]{1,256}");
    assertThat(EventTypeRule.sanitise("x".repeat(300))).hasSize(256);
    assertThat(EventTypeRule.sanitise("  ")).isEqualTo("event");
    assertThat(EventTypeRule.fixed("a.b").typeOf(request(null, null))).isEqualTo("a.b");
    assertThatThrownBy(() -> EventTypeRule.fixed("a b")).hasMessageContaining("letters");
    Extractor expression = request -> request.method() + "/x";
    assertThat(EventTypeRule.of(expression).typeOf(request(null, null))).isEqualTo("POST.x");
  }

  @Test
  void keysAreShortAndNeverBlank() {
    assertThat(DedupeRule.none().keyOf(request(null, "{}"))).isNull();
    assertThat(DedupeRule.of(_ -> " ").keyOf(request(null, "{}"))).isNull();
    // printf 'k%.0s' $(seq 201) | sha256sum
    assertThat(DedupeRule.of(_ -> "k".repeat(201)).keyOf(request(null, "{}")))
        .isEqualTo("sha256:ebf0ead0a3b837bc388d6a36c93833fff64a0a8bc8198fc0f1b7b5031dddd254");
    assertThat(DedupeRule.of(_ -> "k".repeat(200)).keyOf(request(null, "{}"))).hasSize(200);
  }

  @Test
  void everySchemeHasRules() {
    for (String scheme : Verifiers.schemes()) {
      assertThat(EventTypeRule.ofScheme(scheme).typeOf(request(null, ""))).as(scheme).isNotBlank();
      assertThat(DedupeRule.ofScheme(scheme).keyOf(request(null, ""))).as(scheme).isNull();
    }
    assertThatThrownBy(() -> EventTypeRule.ofScheme("strip")).hasMessageContaining("stripe");
  }

  private static InboundRequest request(String headers, String body) {
    Map<String, List<String>> all = new HashMap<>();
    for (String line : headers == null ? new String[0] : headers.split(", ", -1)) {
      String[] parts = line.split(": ", 2);
      all.put(parts[0], List.of(parts[1]));
    }
    byte[] bytes = body == null ? new byte[0] : body.getBytes(StandardCharsets.UTF_8);
    return new InboundRequest(
        "POST", "https://example.com/in/a", Headers.of(all), bytes, "10.0.0.1");
  }
}
