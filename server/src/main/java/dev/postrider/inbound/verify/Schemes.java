package dev.postrider.inbound.verify;

import static dev.postrider.inbound.request.Extractor.field;
import static dev.postrider.inbound.request.Extractor.header;
import static dev.postrider.inbound.verify.verifier.HmacScheme.base64;
import static dev.postrider.inbound.verify.verifier.HmacScheme.hex;

import dev.postrider.inbound.request.CloudEvents;
import dev.postrider.inbound.request.Extractor;
import dev.postrider.inbound.request.InboundRequest;
import dev.postrider.inbound.request.Unwrapping;
import dev.postrider.inbound.verify.Scheme.Setup;
import dev.postrider.inbound.verify.provider.AdyenVerifier;
import dev.postrider.inbound.verify.provider.GitLabVerifier;
import dev.postrider.inbound.verify.provider.GraphVerifier;
import dev.postrider.inbound.verify.provider.MailgunVerifier;
import dev.postrider.inbound.verify.provider.ProviderTypes;
import dev.postrider.inbound.verify.provider.SnsOptions;
import dev.postrider.inbound.verify.provider.TwilioVerifier;
import dev.postrider.inbound.verify.verifier.BodyTimeVerifier;
import dev.postrider.inbound.verify.verifier.Freshness;
import dev.postrider.inbound.verify.verifier.Freshness.Unit;
import dev.postrider.inbound.verify.verifier.HmacScheme;
import dev.postrider.inbound.verify.verifier.HmacScheme.Algorithm;
import dev.postrider.inbound.verify.verifier.HmacScheme.SignedTime;
import dev.postrider.inbound.verify.verifier.HmacVerifier;
import dev.postrider.inbound.verify.verifier.JwtVerifier;
import dev.postrider.inbound.verify.verifier.MtlsHeaderVerifier;
import dev.postrider.inbound.verify.verifier.PublicKeyVerifier;
import dev.postrider.inbound.verify.verifier.PublicUrl;
import dev.postrider.inbound.verify.verifier.SchemeOptions;
import dev.postrider.inbound.verify.verifier.StandardWebhooksVerifier;
import dev.postrider.inbound.verify.verifier.Tokens;
import dev.postrider.inbound.verify.verifier.Verifier;
import dev.postrider.text.Nearest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The table of schemes: one entry for each provider. */
public final class Schemes {
  private static final Set<String> NO_OPTIONS = Set.of();

  /**
   * Those that authenticate a request without a body: by the sender, or by a signature of the URL.
   */
  public static final Set<String> COVERS_QUERY =
      Set.of("none", "basic", "bearer", "api-key", "jwt", "mtls-header", "twilio");

  private static final Set<String> TOLERANCE = Set.of("tolerance");

  /** CloudEvents, else the field that most providers without a rule of their own use. */
  private static final Extractor GENERIC_TYPE =
      CloudEvents.type().or(field("type")).or(field("event_type")).or(field("event"));

  private static final Extractor GENERIC_KEY =
      CloudEvents.identity().or(header("webhook-id")).or(header("idempotency-key"));

  /** Providers that send several events in one request have no id for it. */
  private static final Extractor NO_KEY = _ -> null;

  private static final Map<String, Scheme> ALL = table();

  private Schemes() {}

  static Set<String> names() {
    return new TreeSet<>(ALL.keySet());
  }

  public static Scheme get(String name) {
    Scheme scheme = ALL.get(name);
    if (scheme == null) {
      String guess =
          Nearest.to(name, ALL.keySet()).map(near -> " Did you mean " + near + "?").orElse("");
      throw new IllegalArgumentException(
          "verify: unknown scheme %s.%s Schemes: %s"
              .formatted(name, guess, String.join(", ", names())));
    }
    return scheme;
  }

  public static UnaryOperator<InboundRequest> unwrapping(
      String scheme, Map<String, String> options) {
    Scheme found = get(scheme);
    return found.unwrapping().apply(SchemeOptions.of(scheme, options, found.options()));
  }

  private static Map<String, Scheme> table() {
    Map<String, Scheme> all = new LinkedHashMap<>();
    Stream.of(standards(), development(), business(), messaging(), generic())
        .flatMap(List::stream)
        .forEach(scheme -> all.put(scheme.name(), scheme));
    return Map.copyOf(all);
  }

  private static List<Scheme> standards() {
    return List.of(
        scheme("standard-webhooks", TOLERANCE, s -> standard(s.options(), "webhook-", "svix-"))
            .deduped(header("webhook-id").or(header("svix-id"))),
        scheme("svix", TOLERANCE, s -> standard(s.options(), "svix-", "webhook-"))
            .deduped(header("svix-id").or(header("webhook-id"))),
        scheme(
                SnsOptions.SCHEME,
                SnsOptions.NAMES,
                s -> SnsOptions.verifier(s.options(), s.certificates()))
            .typed(ProviderTypes.sns())
            .unwrapped(options -> Unwrapping.sns(options.flag("unwrap", true)))
            .deduped(header(Unwrapping.SNS_MESSAGE_ID).or(field("MessageId")))
            .greeting(Handshakes::sns)
            .forwarding(
                "x-amz-sns-message-type",
                "x-amz-sns-message-id",
                "x-amz-sns-topic-arn",
                "x-amz-sns-subscription-arn"),
        scheme("microsoft-graph", NO_OPTIONS, _ -> new GraphVerifier())
            .typed(field("value", "0", "changeType"))
            .deduped(NO_KEY)
            .greeting(_ -> Handshakes.graph()),
        hmac("observatory", NO_OPTIONS, _ -> hex("X-Observatory-Signature").prefixed("sha256=")),
        hmac("ghasi", NO_OPTIONS, _ -> hex("X-Ghasi-Signature").prefixed("sha256="))
            .typed(header("x-ghasi-event"))
            .forwarding("x-ghasi-event", "x-ghasi-delivery-id")
            .deduped(header("x-ghasi-delivery-id")));
  }

  private static List<Scheme> development() {
    return List.of(
        hmac("github", NO_OPTIONS, _ -> hex("X-Hub-Signature-256").prefixed("sha256="))
            .unwrapped(_ -> Unwrapping.github())
            .typed(header("x-github-event").then(".", field("action")))
            .forwarding(
                "x-github-event",
                "x-github-delivery",
                "x-github-hook-id",
                "x-github-hook-installation-target-id",
                "x-github-hook-installation-target-type",
                "x-github-enterprise-host",
                "x-github-enterprise-version")
            .deduped(header("x-github-delivery")),
        scheme("gitlab", TOLERANCE, s -> new GitLabVerifier(standard(s.options(), "webhook-")))
            .typed(ProviderTypes.gitLab().then(".", field("object_attributes", "action")))
            .forwarding(
                "idempotency-key",
                "x-gitlab-event",
                "x-gitlab-event-uuid",
                "x-gitlab-instance",
                "x-gitlab-webhook-uuid")
            .deduped(
                header("idempotency-key")
                    .or(header("webhook-id"))
                    // Events that one request or webhook caused have the same event UUID.
                    .or(header("x-gitlab-event-uuid").withBodyHash())),
        hmac(
                "pagerduty",
                NO_OPTIONS,
                _ -> hex("X-PagerDuty-Signature").prefixed("v1=").listed(",", null))
            .typed(field("event", "event_type"))
            .deduped(field("event", "id")),
        scheme("linear", TOLERANCE, s -> linear(s.options()))
            .typed(field("type").then(".", field("action")))
            .deduped(header("linear-delivery"))
            .forwarding("linear-event", "linear-delivery"),
        hmac("grafana", Set.of("header", "timestamp_header", "tolerance"), Schemes::grafana)
            .typed(ProviderTypes.labelled("alert.", field("status")))
            .deduped(NO_KEY),
        hmac("dropbox", NO_OPTIONS, _ -> hex("X-Dropbox-Signature"))
            .typed(ProviderTypes.dropbox())
            .deduped(NO_KEY)
            .greeting(_ -> Handshakes.dropbox()),
        hmac("terraform", NO_OPTIONS, _ -> hex("X-TFE-Notification-Signature").by(Algorithm.SHA512))
            .typed(field("notifications", "0", "trigger"))
            .deduped(NO_KEY));
  }

  private static List<Scheme> business() {
    return List.of(
        hmac(
                "stripe",
                TOLERANCE,
                o ->
                    hex("Stripe-Signature")
                        .listed(",", "v1")
                        .timed(in("t", o), "{timestamp}.{body}"))
            .typed(field("type"))
            .deduped(field("id")),
        hmac("shopify", NO_OPTIONS, _ -> base64("X-Shopify-Hmac-SHA256"))
            .typed(header("x-shopify-topic"))
            .forwarding(
                "x-shopify-topic",
                "x-shopify-sub-topic",
                "x-shopify-name",
                "x-shopify-shop-domain",
                "x-shopify-api-version",
                "x-shopify-webhook-id",
                "x-shopify-event-id",
                "x-shopify-triggered-at")
            .deduped(header("x-shopify-webhook-id")),
        hmac(
                "paddle",
                TOLERANCE,
                o ->
                    hex("Paddle-Signature")
                        .listed(";", "h1")
                        .timed(in("ts", o), "{timestamp}:{body}"))
            .typed(field("event_type"))
            .deduped(field("event_id")),
        hmac(
                "square",
                Set.of("url"),
                o -> base64("X-Square-HmacSha256-Signature").signing("{url}{body}", url(o)))
            .typed(field("type"))
            .deduped(field("event_id")),
        scheme("adyen", NO_OPTIONS, _ -> new AdyenVerifier())
            .typed(
                field("notificationItems", "0", "NotificationRequestItem", "eventCode")
                    .or(field("type")))
            .deduped(adyenKey()),
        hmac("hubspot", Set.of("url", "tolerance"), Schemes::hubspot)
            .typed(field("0", "subscriptionType"))
            .deduped(NO_KEY),
        hmac("typeform", NO_OPTIONS, _ -> base64("Typeform-Signature").prefixed("sha256="))
            .typed(field("event_type"))
            .deduped(field("event_id")),
        hmac("asana", NO_OPTIONS, _ -> hex("X-Hook-Signature"))
            .typed(
                field("events", "0", "resource", "resource_type")
                    .then(".", field("events", "0", "action")))
            .deduped(NO_KEY)
            .greeting(_ -> Handshakes.asana())
            .learningSecret());
  }

  private static List<Scheme> messaging() {
    return List.of(
        hmac("slack", TOLERANCE, o -> v0(o, "X-Slack-Signature", "X-Slack-Request-Timestamp"))
            .typed(ProviderTypes.slack())
            .deduped(field("event_id"))
            .greeting(_ -> Handshakes.slack())
            .forwarding("x-slack-retry-num", "x-slack-retry-reason"),
        hmac("zoom", TOLERANCE, o -> v0(o, "X-Zm-Signature", "X-Zm-Request-Timestamp"))
            .typed(field("event"))
            .deduped(NO_KEY)
            .greeting(_ -> Handshakes.zoom()),
        scheme("twilio", Set.of("url"), s -> new TwilioVerifier(url(s.options())))
            .typed(ProviderTypes.twilio())
            .forwarding("i-twilio-idempotency-token")
            .deduped(header("i-twilio-idempotency-token")),
        hmac(
                "intercom",
                NO_OPTIONS,
                _ -> hex("X-Hub-Signature").by(Algorithm.SHA1).prefixed("sha1="))
            .typed(field("topic"))
            .deduped(field("id")),
        scheme("sendgrid", TOLERANCE, s -> sendGrid(s.options()))
            .typed(field("0", "event"))
            .deduped(NO_KEY),
        scheme("mailgun", TOLERANCE, s -> new MailgunVerifier(seconds(s.options())))
            .typed(field("event-data", "event"))
            .deduped(field("signature", "token").or(ProviderTypes.formField("token"))),
        scheme("discord", TOLERANCE, s -> discord(s.options()))
            .typed(field("event", "type").or(ProviderTypes.labelled("interaction.", field("type"))))
            .deduped(field("id"))
            .greeting(_ -> Handshakes.discord()),
        meta("meta"),
        meta("whatsapp"),
        hmac("twitter", NO_OPTIONS, _ -> base64("X-Twitter-Webhooks-Signature").prefixed("sha256="))
            .deduped(NO_KEY)
            .greeting(_ -> Handshakes.twitter()),
        hmac("zendesk", TOLERANCE, Schemes::zendesk)
            .typed(field("type"))
            .deduped(header("x-zendesk-webhook-invocation-id").or(field("id")))
            .forwarding(
                "x-zendesk-account-id", "x-zendesk-webhook-id", "x-zendesk-webhook-invocation-id"));
  }

  private static List<Scheme> generic() {
    return List.of(
        hmac(
            "hmac",
            Set.of(
                "algorithm",
                "encoding",
                "secret_encoding",
                "header",
                "prefix",
                "separator",
                "signature_field",
                "timestamp_header",
                "timestamp_field",
                "timestamp_unit",
                "tolerance",
                "template",
                "url"),
            HmacScheme::fromOptions),
        scheme("basic", NO_OPTIONS, _ -> new Tokens.Basic()),
        scheme("bearer", NO_OPTIONS, _ -> new Tokens.Bearer()),
        scheme(
            "api-key",
            Set.of("header", "query", "prefix"),
            s -> Tokens.ApiKey.fromOptions(s.options())),
        scheme(
            "jwt",
            Set.of("algorithms", "header", "issuer", "audience", "leeway", "require_exp"),
            s -> JwtVerifier.fromOptions(s.options())),
        scheme(
            "mtls-header",
            Set.of("header", "format", "verify_header", "verify_value", "proxies"),
            s -> MtlsHeaderVerifier.fromOptions(s.options())),
        scheme(Scheme.NONE, NO_OPTIONS, _ -> new Tokens.None()));
  }

  private static Scheme scheme(
      String name, Set<String> options, Function<Setup, Verifier> verifier) {
    return new Scheme(
        name,
        options,
        verifier,
        _ -> List.of(),
        _ -> Unwrapping.nothing(),
        GENERIC_TYPE,
        GENERIC_KEY,
        Set.of(),
        false);
  }

  private static Scheme hmac(
      String name, Set<String> options, Function<SchemeOptions, HmacScheme> scheme) {
    return scheme(name, options, s -> new HmacVerifier(name, scheme.apply(s.options())));
  }

  private static StandardWebhooksVerifier standard(SchemeOptions options, String... prefixes) {
    return new StandardWebhooksVerifier(
        List.of(prefixes), options.tolerance(Freshness.FIVE_MINUTES));
  }

  /** Linear asks receivers to reject requests older than a minute. */
  private static Verifier linear(SchemeOptions options) {
    return new BodyTimeVerifier(
        new HmacVerifier("linear", hex("Linear-Signature")),
        "webhookTimestamp",
        new Freshness(Unit.MILLISECONDS, options.tolerance(Duration.ofMinutes(1))));
  }

  private static HmacScheme grafana(SchemeOptions options) {
    HmacScheme scheme = hex(options.text("header", "X-Grafana-Alerting-Signature"));
    String timestamp = options.find("timestamp_header");
    return timestamp == null
        ? scheme
        : scheme.timed(timestamp, seconds(options), "{timestamp}:{body}");
  }

  private static HmacScheme v0(SchemeOptions options, String signature, String timestamp) {
    return hex(signature)
        .prefixed("v0=")
        .timed(timestamp, seconds(options), "v0:{timestamp}:{body}");
  }

  private static HmacScheme hubspot(SchemeOptions options) {
    return base64("X-HubSpot-Signature-v3")
        .timed(
            "X-HubSpot-Request-Timestamp",
            new Freshness(Unit.MILLISECONDS, options.tolerance(Freshness.FIVE_MINUTES)),
            "{method}{decoded_url}{body}{timestamp}")
        .signing("{method}{decoded_url}{body}{timestamp}", url(options));
  }

  private static HmacScheme zendesk(SchemeOptions options) {
    return base64("X-Zendesk-Webhook-Signature")
        .timed(
            "X-Zendesk-Webhook-Signature-Timestamp",
            new Freshness(Unit.ISO_8601, options.tolerance(Freshness.FIVE_MINUTES)),
            "{timestamp}{body}");
  }

  private static Scheme meta(String name) {
    return hmac(name, Set.of("verify_token"), _ -> hex("X-Hub-Signature-256").prefixed("sha256="))
        .typed(field("object").then(".", field("entry", "0", "changes", "0", "field")))
        .deduped(NO_KEY)
        .greeting(options -> Handshakes.meta(options.find("verify_token")));
  }

  private static Verifier sendGrid(SchemeOptions options) {
    return new PublicKeyVerifier(
        PublicKeyVerifier.Kind.ECDSA_P256_BASE64,
        "X-Twilio-Email-Event-Webhook-Signature",
        "X-Twilio-Email-Event-Webhook-Timestamp",
        seconds(options));
  }

  private static Verifier discord(SchemeOptions options) {
    return new PublicKeyVerifier(
        PublicKeyVerifier.Kind.ED25519_HEX,
        "X-Signature-Ed25519",
        "X-Signature-Timestamp",
        seconds(options));
  }

  private static Extractor adyenKey() {
    String[] item = {"notificationItems", "0", "NotificationRequestItem"};
    return field(item[0], item[1], item[2], "pspReference")
        .then(":", field(item[0], item[1], item[2], "eventCode"))
        .then(":", field(item[0], item[1], item[2], "success"));
  }

  private static SignedTime in(String field, SchemeOptions options) {
    return new SignedTime(null, field, seconds(options));
  }

  private static Freshness seconds(SchemeOptions options) {
    return new Freshness(Unit.SECONDS, options.tolerance(Freshness.FIVE_MINUTES));
  }

  private static @Nullable String url(SchemeOptions options) {
    return PublicUrl.check(options.find("url"));
  }
}
