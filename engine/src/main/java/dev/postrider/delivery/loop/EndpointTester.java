package dev.postrider.delivery.loop;

import dev.postrider.crypto.MasterKeyUnavailable;
import dev.postrider.crypto.SecretUnreadable;
import dev.postrider.delivery.DeliveryIds;
import dev.postrider.delivery.command.EndpointTests;
import dev.postrider.delivery.http.HeaderList;
import dev.postrider.delivery.http.HttpResult;
import dev.postrider.delivery.http.HttpSender;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.delivery.shape.Shape;
import dev.postrider.delivery.shape.Shaper;
import dev.postrider.delivery.shape.Shaping;
import dev.postrider.endpoint.AgentRouteStore;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.evaluation.EvaluationBusy;
import dev.postrider.expression.ExpressionFailed;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Builds and sends a test request as {@link Sender} builds and sends that of a delivery. Like a
 * resend it is requested by a user: it ignores the filter, and a disabled or paused endpoint gets
 * it too.
 */
public final class EndpointTester implements EndpointTests {
  private static final int FIRST_ATTEMPT = 1;

  private final HttpSender http;
  private final EndpointConfigs configs;
  private final Shaping shaping;
  private final AgentRouteStore routes;
  private final Ids ids;
  private final TimeSource time;
  private final Sender.Settings settings;

  public EndpointTester(
      HttpSender http,
      EndpointConfigs configs,
      Shaping shaping,
      AgentRouteStore routes,
      Ids ids,
      TimeSource time,
      Sender.Settings settings) {
    this.http = http;
    this.configs = configs;
    this.shaping = shaping;
    this.routes = routes;
    this.ids = ids;
    this.time = time;
    this.settings = settings;
  }

  @Override
  public Result send(Test test) {
    EndpointConfigs.Ready ready;
    try {
      ready = configs.newest(test.applicationId().value(), test.endpointId().value());
    } catch (MasterKeyUnavailable e) {
      return new Result.Unavailable("the master key is unavailable: " + e.getMessage());
    } catch (SecretUnreadable e) {
      return new Result.Unavailable("a secret of the endpoint cannot be decrypted");
    }
    if (ready == null || ready.config().deleted()) {
      return new Result.NoSuchEndpoint();
    }
    Id messageId = ids.next();
    RequestHeaders.Subject subject =
        new RequestHeaders.Subject(
            messageId,
            DeliveryIds.of(messageId, test.endpointId().value(), Id.ZERO),
            FIRST_ATTEMPT,
            test.eventType(),
            null,
            null);
    try {
      return switch (shaped(test, ready.config(), subject)) {
        case Shaping.Result.Filtered _, Shaping.Result.Canceled _ -> new Result.Canceled();
        case Shaping.Result.Shaped shaped ->
            send(
                configs.shaped(ready, shaped.shape()),
                shaped.body() == null ? test.payload() : shaped.body(),
                shaped,
                subject);
      };
    } catch (ExpressionFailed e) {
      return new Result.ExpressionError(String.valueOf(e.getMessage()));
    } catch (EvaluationBusy e) {
      return new Result.Unavailable(String.valueOf(e.getMessage()));
    }
  }

  private Shaping.Result shaped(Test test, EndpointConfig config, RequestHeaders.Subject subject) {
    Shaping.Result result =
        shaping.of(
            new Shaping.Subject(
                test.applicationId().value(),
                subject.messageId(),
                subject.deliveryId(),
                test.eventType(),
                null,
                test.payload(),
                test.headers(),
                test.source(),
                config.shape().routed()
                    ? routes
                        .of(test.applicationId())
                        .of(test.source(), test.eventType())
                        .to(test.endpointId())
                    : null,
                null),
            null,
            config.transform());
    return Shaper.forwarding(config, test.headers(), result);
  }

  private Result send(
      EndpointConfigs.Ready ready,
      byte[] whole,
      Shaping.Result.Shaped shaped,
      RequestHeaders.Subject subject) {
    EndpointConfig.Request configured = ready.config().request();
    Shape shape = shaped.shape();
    String method = shape.method() == null ? configured.method() : shape.method();
    byte[] body = Shape.sentBody(method, whole);
    HeaderList headers = new HeaderList();
    new RequestHeaders(settings.userAgent(), ready, shape.contentType())
        .fill(headers, subject, body, time.nowMs() / 1000);
    Map<String, String> shown = shown(headers, ready.customHeaders());
    headers.addAll(ready.customHeaders());
    long began = time.nanos();
    HttpResult outcome = outcome(ready, method, headers, body);
    int latencyMs = (int) TimeUnit.NANOSECONDS.toMillis(time.nanos() - began);
    return new Result.Sent(
        new Request(ready.url(), method, shown, body, shape.contentType()),
        outcome,
        latencyMs,
        shaped.transformError());
  }

  private HttpResult outcome(
      EndpointConfigs.Ready ready, String method, HeaderList headers, byte[] body) {
    Target target = ready.target();
    if (target == null) {
      return new HttpResult.Blocked(Sender.problem(ready));
    }
    Integer timeoutMs = ready.config().request().timeoutMs();
    return http.send(
        target,
        method,
        headers,
        body,
        timeoutMs == null ? settings.timeout() : Duration.ofMillis(timeoutMs));
  }

  /** The values of custom headers may be secret. */
  private static Map<String, String> shown(HeaderList ours, HeaderList custom) {
    Map<String, String> shown = new LinkedHashMap<>();
    ours.forEach(shown::put);
    custom.forEach((name, _) -> shown.put(name, HeaderRules.MASK));
    return shown;
  }
}
