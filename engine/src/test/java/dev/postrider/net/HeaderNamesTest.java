package dev.postrider.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderNamesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization",
        "Proxy-Authorization",
        "X-Authorisation",
        "X-Auth",
        "X-OAuth-Scopes",
        "Cookie",
        "X-Jwt",
        "X-Goog-Iap-Jwt-Assertion",
        "X-Pass",
        "X-Pwd",
        "X-Passwd",
        "X-Hook-Secret",
        "X-Signature-Secret",
        "X-Gitlab-Token",
        "X-ApiKey",
        "Ocp-Apim-Subscription-Key",
        "X-Session-Id",
        "X-Credentials",
        "X-Pin",
        "X-Sid"
      })
  void soundsSecret(String name) {
    assertThat(HeaderNames.soundsSecret(name)).isTrue();
    assertThat(HeaderNames.isHarmless(name)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Type",
        "User-Agent",
        "Stripe-Signature",
        "webhook-id",
        "webhook-signature",
        "X-Hub-Signature-256",
        "X-GitHub-Event",
        "X-GitHub-Hook-Installation-Target-ID",
        "X-Shopify-Topic",
        "X-Shopify-Hmac-SHA256",
        "X-Event-Key",
        "Idempotency-Key",
        "I-Twilio-Idempotency-Token",
        "ce-partitionkey",
        "X-Commit-Author",
        "X-Authority",
        "X-Shipping-Pinned",
        "X-Forwarded-For"
      })
  void doesNotSoundSecret(String name) {
    assertThat(HeaderNames.soundsSecret(name)).isFalse();
  }
}
