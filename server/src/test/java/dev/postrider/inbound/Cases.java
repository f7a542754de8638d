package dev.postrider.inbound;

import dev.postrider.inbound.request.Headers;
import dev.postrider.inbound.request.InboundRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One signed request per scheme. The origin of each signature stands above its case: the provider's
 * own published example, or Python's hmac over the bytes shown, with S and B as below.
 */
public final class Cases {
  /** B in the commands. */
  static final String BODY = "{\"id\":\"evt_1\",\"type\":\"order.paid\",\"note\":\"größer\"}";

  /** S in the commands. */
  public static final String SECRET = "postrider-test-secret";

  /** hmac.new(S, B, "sha256").hexdigest() */
  public static final String BODY_HEX =
      "930df9c6a454bcbe12499779bbb9f41245a585c2328464270aca8b4606be7168";

  /** base64.b64encode(hmac.new(S, B, "sha256").digest()) */
  static final String BODY_BASE64 = "kw35xqRUvL4SSZd5u7n0EkWlhcIyhGQnCsqLRga+cWg=";

  public static final long NOW = 1_700_000_000_000L;
  public static final String FORM = "application/x-www-form-urlencoded";
  private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

  private Cases() {}

  /**
   * @param needed headers that must come; the first holds the signature
   * @param tolerance null if the scheme signs no time
   * @param tamper what an attacker does to the body; null if the scheme does not cover the body
   */
  public record Case(
      String scheme,
      Map<String, String> options,
      String secret,
      String wrongSecret,
      String method,
      String url,
      Map<String, String> headers,
      String body,
      long nowMs,
      List<String> needed,
      @Nullable Duration tolerance,
      @Nullable UnaryOperator<String> tamper) {

    public Case secret(String right, String wrong) {
      return new Case(
          scheme, options, right, wrong, method, url, headers, body, nowMs, needed, tolerance,
          tamper);
    }

    public Case option(String name, String value) {
      Map<String, String> more = new LinkedHashMap<>(options);
      more.put(name, value);
      return new Case(
          scheme,
          more,
          secret,
          wrongSecret,
          method,
          url,
          headers,
          body,
          nowMs,
          needed,
          tolerance,
          tamper);
    }

    public Case at(String otherUrl) {
      return new Case(
          scheme,
          options,
          secret,
          wrongSecret,
          method,
          otherUrl,
          headers,
          body,
          nowMs,
          needed,
          tolerance,
          tamper);
    }

    public Case body(String other) {
      return new Case(
          scheme,
          options,
          secret,
          wrongSecret,
          method,
          url,
          headers,
          other,
          nowMs,
          needed,
          tolerance,
          tamper);
    }

    /** A header that the scheme cannot do without. */
    public Case header(String name, String value) {
      List<String> all = new ArrayList<>(needed);
      all.add(name);
      return extra(name, value).needing(all);
    }

    public Case extra(String name, String value) {
      Map<String, String> more = new LinkedHashMap<>(headers);
      more.put(name, value);
      return new Case(
          scheme,
          options,
          secret,
          wrongSecret,
          method,
          url,
          more,
          body,
          nowMs,
          needed,
          tolerance,
          tamper);
    }

    private Case needing(List<String> all) {
      return new Case(
          scheme,
          options,
          secret,
          wrongSecret,
          method,
          url,
          headers,
          body,
          nowMs,
          all,
          tolerance,
          tamper);
    }

    public Case timed(long atMs, Duration within) {
      return new Case(
          scheme,
          options,
          secret,
          wrongSecret,
          method,
          url,
          headers,
          body,
          atMs,
          needed,
          within,
          tamper);
    }

    Case tampered(@Nullable UnaryOperator<String> how) {
      return new Case(
          scheme,
          options,
          secret,
          wrongSecret,
          method,
          url,
          headers,
          body,
          nowMs,
          needed,
          tolerance,
          how);
    }

    public InboundRequest request() {
      return request(headers, body);
    }

    public InboundRequest request(Map<String, String> otherHeaders, String otherBody) {
      Map<String, List<String>> all = new LinkedHashMap<>();
      otherHeaders.forEach((name, value) -> all.put(name, List.of(value)));
      return new InboundRequest(
          method, url, Headers.of(all), otherBody.getBytes(StandardCharsets.UTF_8), "10.1.2.3");
    }

    @Override
    public String toString() {
      return scheme + options;
    }
  }

  public static Case of(String scheme) {
    return new Case(
        scheme,
        Map.of(),
        SECRET,
        "another-secret",
        "POST",
        "https://example.com/in/a",
        Map.of("Content-Type", "application/json"),
        BODY,
        NOW,
        List.of(),
        null,
        body -> body.substring(0, body.length() - 1) + "!");
  }

  public static List<Case> all() {
    return List.of(
        // Standard Webhooks specification's example, also in the library's tests
        of("standard-webhooks")
            .secret(
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")
            .body("{\"test\": 2432232314}")
            .header("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
            .header("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
            .header("webhook-timestamp", "1614265330")
            .timed(1_614_265_330_000L, FIVE_MINUTES),
        // cryptography: Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
        //   .sign(b"msg_1.1700000000." + B); the wrong key is of bytes(range(1, 33))
        of("standard-webhooks")
            .secret(
                "whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=",
                "whpk_ebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ=")
            .header(
                "webhook-signature",
                "v1a,qJFP0RVAWSJAGmyFj+MBPCLQh0pWFe2yMaVPZK5dVMPBWYn8WiE6Q3FsOyurAY48N9+F7Bj84LxITm/h6H8GCw==")
            .header("webhook-id", "msg_1")
            .header("webhook-timestamp", "1700000000")
            .timed(NOW, FIVE_MINUTES),
        // the same example as Svix's libraries have it
        of("svix")
            .secret(
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")
            .body("{\"test\": 2432232314}")
            .header("svix-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
            .header("svix-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
            .header("svix-timestamp", "1614265330")
            .timed(1_614_265_330_000L, FIVE_MINUTES),
        // docs.github.com, "Validating webhook deliveries"
        of("github")
            .secret("It's a Secret to Everybody", "another-secret")
            .body("Hello, World!")
            .header(
                "X-Hub-Signature-256",
                "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")
            .tampered(_ -> "Hello, World?"),
        // nothing is computed: the secret itself comes
        of("gitlab").header("X-Gitlab-Token", SECRET).tampered(null),
        // GitLab's signing token signs as Standard Webhooks; the specification's example again
        of("gitlab")
            .secret(
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")
            .body("{\"test\": 2432232314}")
            .header("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
            .header("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
            .header("webhook-timestamp", "1614265330")
            .timed(1_614_265_330_000L, FIVE_MINUTES),
        // hmac.new(S, b"1700000000." + B, "sha256").hexdigest()
        of("stripe")
            .header(
                "Stripe-Signature",
                "t=1700000000,v1=6cf786e061d414eb026f4ed8e44aca3603ef42980b044c1232e861f635994c5c")
            .timed(NOW, FIVE_MINUTES),
        // an unknown v1 before the right one, as while Stripe rolls a secret
        of("stripe")
            .header(
                "Stripe-Signature",
                "t=1700000000,v1="
                    + BODY_HEX
                    + ",v0=00,v1=6cf786e061d414eb026f4ed8e44aca3603ef42980b044c1232e861f635994c5c")
            .timed(NOW, FIVE_MINUTES),
        // Python: BODY_BASE64
        of("shopify").header("X-Shopify-Hmac-SHA256", BODY_BASE64),
        // api.slack.com, "Verifying requests from Slack"
        of("slack")
            .secret("8f742231b10e8888abcd99yyyzzz85a5", "another-secret")
            .body(
                "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c")
            .extra("Content-Type", FORM)
            .header(
                "X-Slack-Signature",
                "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503")
            .header("X-Slack-Request-Timestamp", "1531420618")
            .timed(1_531_420_618_000L, FIVE_MINUTES),
        // twilio.com, "Validating requests"; also in Twilio's libraries
        of("twilio")
            .secret("12345", "another-secret")
            .at("https://mycompany.com/myapp.php?foo=1&bar=2")
            .body(
                "To=%2B18005551212&CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309")
            .extra("Content-Type", FORM)
            .header("X-Twilio-Signature", "RSOYDt4T1cUTdK1PDd93/VVr8B8="),
        // twilio-python, test_request_validator.py: body hash in the URL
        of("twilio")
            .secret("12345", "another-secret")
            .at(
                "https://mycompany.com/myapp.php?foo=1&bar=2&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620")
            .body("{\"property\": \"value\", \"boolean\": true}")
            .header("X-Twilio-Signature", "a9nBmqA0ju/hNViExpshrM61xv4="),
        // Python: BODY_HEX; the first signature is of a secret that was rolled away
        of("pagerduty")
            .header("X-PagerDuty-Signature", "v1=" + "ab".repeat(32) + ",v1=" + BODY_HEX),
        // hmac.new(S, <the body below>, "sha256").hexdigest()
        of("linear")
            .body("{\"action\":\"create\",\"type\":\"Issue\",\"webhookTimestamp\":1700000000000}")
            .header(
                "Linear-Signature",
                "8d64f7d2bc30b0064a0e4a2552cd930e5fc2f1987beb7b7011d188e5495551e5")
            .timed(NOW, Duration.ofMinutes(1)),
        // hmac.new(S, b"1700000000:" + B, "sha256").hexdigest()
        of("paddle")
            .header(
                "Paddle-Signature",
                "ts=1700000000;h1=b4889e98b55e0b381d181f59c8d8152731933ac089a85d44c9d695ec17103fdb")
            .timed(NOW, FIVE_MINUTES),
        // Python: BODY_HEX
        of("grafana").header("X-Grafana-Alerting-Signature", BODY_HEX),
        // hmac.new(S, b"1700000000:" + B, "sha256").hexdigest()
        of("grafana")
            .option("timestamp_header", "X-Grafana-Alerting-Timestamp")
            .header(
                "X-Grafana-Alerting-Signature",
                "b4889e98b55e0b381d181f59c8d8152731933ac089a85d44c9d695ec17103fdb")
            .header("X-Grafana-Alerting-Timestamp", "1700000000")
            .timed(NOW, FIVE_MINUTES),
        // hmac.new(S, B, "sha512").hexdigest()
        of("terraform")
            .header(
                "X-TFE-Notification-Signature",
                "0baa0a65b9641b7b3710899f4c0f6ab23a755cb2886b7babb7356f132bad1c55ac0eb5b804b14d82c986e8dc4ec99e7abea438feb45ca1a8ae92a5b7ab504801"),
        // hmac.new(S, b"v0:1700000000:" + B, "sha256").hexdigest()
        of("zoom")
            .header(
                "x-zm-signature",
                "v0=48d5b553a5e5c15feb9bd9c8a946dc3db03b74364dca7d4db4fa2b866e7478ab")
            .header("x-zm-request-timestamp", "1700000000")
            .timed(NOW, FIVE_MINUTES),
        // hmac.new(S, B, "sha1").hexdigest()
        of("intercom").header("X-Hub-Signature", "sha1=66b5d9fbc9df97db2dc3d31e26a15e72a7cff40b"),
        // base64.b64encode(hmac.new(S, b"POSThttps://example.com/in/hub?path=/a:b&name=%20x" + B
        //   + b"1700000000000", "sha256").digest())
        of("hubspot")
            .at("https://example.com/in/hub?path=%2Fa%3ab&name=%20x")
            .header("X-HubSpot-Signature-v3", "yD03m+SuE6SrH113iwg4Ym35NKKqxjPldvg5iiJthm4=")
            .header("X-HubSpot-Request-Timestamp", "1700000000000")
            .timed(NOW, FIVE_MINUTES),
        // developer.squareup.com, "Verify and validate an event notification"
        of("square")
            .secret("asdf1234", "another-secret")
            .at("https://example.com/webhook")
            .body("{\"hello\":\"world\"}")
            .header(
                "x-square-hmacsha256-signature", "2kRE5qRU2tR+tBGlDwMEw2avJ7QM4ikPYD/PJ3bd9Og="),
        // docs.adyen.com, "Verify HMAC signatures"; also in Adyen's libraries
        of("adyen")
            .secret(
                "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056", "ab".repeat(32))
            .body(
                "{\"live\":\"false\",\"notificationItems\":[{\"NotificationRequestItem\":{\"additionalData\":{\"hmacSignature\":\"coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=\"},\"amount\":{\"value\":1130,\"currency\":\"EUR\"},\"pspReference\":\"7914073381342284\",\"eventCode\":\"AUTHORISATION\",\"merchantAccountCode\":\"TestMerchant\",\"merchantReference\":\"TestPayment-1407325143704\",\"paymentMethod\":\"visa\",\"success\":\"true\"}}]}")
            .tampered(body -> body.replace("1130", "1131")),
        // base64.b64encode(hmac.new(bytes.fromhex("4478…A056"), B, "sha256").digest())
        of("adyen")
            .secret(
                "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056", "ab".repeat(32))
            .extra("HmacSignature", "eKhN/L9+F06lg8uyR1bYLPZqaJWAvS7rJdle8B1FLl0="),
        // sendgrid-python, test_eventwebhook.py; the wrong key is from sendgrid-ruby's fixtures
        of("sendgrid")
            .secret(
                "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==",
                "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqTxd43gyp8IOEto2LdIfjRQrIbsd4SXZkLW6jDutdhXSJCWHw8REntlo7aNDthvj+y7GjUuFDb/R1NGe1OPzpA==")
            .body(
                "[{\"email\":\"hello@world.com\",\"event\":\"dropped\",\"reason\":\"Bounced Address\",\"sg_event_id\":\"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA\",\"sg_message_id\":\"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0\",\"smtp-id\":\"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>\",\"timestamp\":1600112492}]\r\n")
            .header(
                "X-Twilio-Email-Event-Webhook-Signature",
                "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=")
            .header("X-Twilio-Email-Event-Webhook-Timestamp", "1600112502")
            .timed(1_600_112_502_000L, FIVE_MINUTES),
        // hmac.new(S, b"1700000000" + b"c0ffee", "sha256").hexdigest()
        of("mailgun")
            .body(
                "{\"signature\":{\"timestamp\":\"1700000000\",\"token\":\"c0ffee\",\"signature\":\"4c1bc8746fd4077134b47a9223d838c97e986f6c233fb9de4d6ac7a43989bf2b\"},\"event-data\":{\"event\":\"opened\"}}")
            .timed(NOW, FIVE_MINUTES)
            .tampered(body -> body.replace("c0ffee", "c0ffef")),
        // cryptography: Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
        //   .sign(b"1700000000" + B).hex()
        of("discord")
            .secret(
                "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8",
                "79b5562e8fe654f94078b112e8a98ba7901f853ae695bed7e0e3910bad049664")
            .header(
                "X-Signature-Ed25519",
                "17b65d13a28da17c2fc3ab0e357ccb593681e6413e7610feac07cd69dcc41fd1868bd0dde7804e4415661f6a5a1496d6373d2b4f432452d5b69f00c05bc03c00")
            .header("X-Signature-Timestamp", "1700000000")
            .timed(NOW, FIVE_MINUTES),
        // Python: BODY_HEX, also for WhatsApp
        of("meta").header("X-Hub-Signature-256", "sha256=" + BODY_HEX),
        of("whatsapp").header("X-Hub-Signature-256", "sha256=" + BODY_HEX),
        // Python: BODY_BASE64
        of("twitter").header("x-twitter-webhooks-signature", "sha256=" + BODY_BASE64),
        // Python: BODY_HEX
        of("asana").header("X-Hook-Signature", BODY_HEX),
        // base64.b64encode(hmac.new(S, b"2023-11-14T22:13:20Z" + B, "sha256").digest())
        of("zendesk")
            .header("X-Zendesk-Webhook-Signature", "xByryeGM32kf/X2JCMedEalaBiwfUsfuuNot6fGWFa0=")
            .header("X-Zendesk-Webhook-Signature-Timestamp", "2023-11-14T22:13:20Z")
            .timed(NOW, FIVE_MINUTES),
        // Python: BODY_BASE64
        of("typeform").header("Typeform-Signature", "sha256=" + BODY_BASE64),
        // Python: BODY_HEX
        of("dropbox").header("X-Dropbox-Signature", BODY_HEX),
        // Python: BODY_HEX, also for Ghasi
        of("observatory").header("X-Observatory-Signature", "sha256=" + BODY_HEX),
        of("ghasi").header("X-Ghasi-Signature", "sha256=" + BODY_HEX),
        // nothing is computed: the secret itself comes in the body
        of("microsoft-graph")
            .body(
                "{\"value\":[{\"clientState\":\"postrider-test-secret\",\"changeType\":\"created\"}]}")
            .tampered(body -> body.replace("test-secret", "test-secreT")),
        // Python: BODY_HEX
        of("hmac").header("X-Webhook-Signature", BODY_HEX),
        // base64.urlsafe_b64encode(hmac.new(bytes.fromhex("00ff10"),
        //   b"POST|/in/a|1700000000|req-1|" + B, "sha384").digest())
        of("hmac")
            .secret("00ff10", "00ff11")
            .option("algorithm", "sha384")
            .option("encoding", "base64url")
            .option("secret_encoding", "hex")
            .option("header", "X-Sig")
            .option("prefix", "s=")
            .option("timestamp_header", "X-Time")
            .option("template", "{method}|{path}|{timestamp}|{header:X-Request}|{body}")
            .header("X-Sig", "s=4SurfotW0NgZCR6fH6W6pXzOsRASbRotTGFyvshVhnidhU3LGrgdrtFYTf5hxYvL")
            .header("X-Time", "1700000000")
            .header("X-Request", "req-1")
            .timed(NOW, FIVE_MINUTES),
        // as Stripe's
        of("hmac")
            .option("header", "X-Sig")
            .option("signature_field", "v1")
            .option("timestamp_field", "t")
            .option("tolerance", "30s")
            .header(
                "X-Sig",
                "t=1700000000, v1=6cf786e061d414eb026f4ed8e44aca3603ef42980b044c1232e861f635994c5c")
            .timed(NOW, Duration.ofSeconds(30)),
        // printf 'user:pässword' | base64
        of("basic")
            .secret("user:pässword", "user:password")
            .header("Authorization", "Basic dXNlcjpww6Rzc3dvcmQ=")
            .tampered(null),
        // nothing is computed: the secret itself comes, also as an API key
        of("bearer").header("Authorization", "bearer " + SECRET).tampered(null),
        of("api-key").header("X-Api-Key", SECRET).tampered(null),
        of("api-key")
            .option("header", "X-Token")
            .option("prefix", "Token ")
            .header("X-Token", "Token " + SECRET)
            .tampered(null),
        // python: h + "." + base64url(hmac.new(S, h, "sha256")), h of {"alg":"HS256","typ":"JWT"}
        //   and {"iss":"issuer-1","aud":["door"],"exp":1700000060}
        of("jwt")
            .option("algorithms", "HS256")
            .option("issuer", "issuer-1")
            .option("audience", "door")
            .header(
                "Authorization",
                "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJpc3N1ZXItMSIsImF1ZCI6WyJkb29yIl0sImV4cCI6MTcwMDAwMDA2MH0.3ujIqivi3wVACCrBABTnRIidSUjMCYm35Z5mg3ZgMZM")
            .tampered(null),
        // nothing is computed: a proxy tells the fingerprint
        of("mtls-header")
            .secret("ab:".repeat(31) + "AB", "cd".repeat(32))
            .option("header", "X-SSL-Client-Fingerprint")
            .option("proxies", "10.0.0.0/8")
            .option("verify_header", "X-SSL-Client-Verify")
            .header("X-SSL-Client-Fingerprint", "AB".repeat(32))
            .header("X-SSL-Client-Verify", "SUCCESS")
            .tampered(null));
  }
}
