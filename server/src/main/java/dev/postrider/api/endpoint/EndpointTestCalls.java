package dev.postrider.api.endpoint;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Limits;
import dev.postrider.api.form.PayloadOut;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.delivery.command.EndpointTests;
import dev.postrider.delivery.http.HttpResult;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.id.Id;
import dev.postrider.json.Fields;
import dev.postrider.json.Json;
import dev.postrider.json.TextRule;
import dev.postrider.limit.RateLimiter;
import dev.postrider.tenant.Application;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Sends a test request to an endpoint and answers with its outcome. A caller waits for the response
 * of the endpoint, so the number of tests at once is limited, of one application and of all; and
 * their rate, since each test is a request to an address of the caller's choice.
 */
final class EndpointTestCalls {
  /** Tests of one application that wait for a response. */
  static final int AT_ONCE = 4;

  /** Those of all applications, on this instance. */
  static final int ALL_AT_ONCE = 32;

  /** Tests that an application may start without a pause, on this instance. */
  static final int BURST = 10;

  /** After a burst, the time between two tests. */
  static final Duration INTERVAL = Duration.ofSeconds(1);

  private static final int MAX_APPLICATIONS = 50_000;
  private static final int MAX_PAYLOAD = 256 * 1024;
  private static final int MAX_HEADERS = 100;
  private static final TextRule HEADER_NAME =
      TextRule.matching(
          Limits.MESSAGE_HEADER_NAME,
          "[!#$%&'*+.^_`|~0-9A-Za-z-]",
          "of characters of a header name");
  private static final TextRule HEADER_VALUE = TextRule.line(0, Limits.MESSAGE_HEADER_VALUE);

  private final ApplicationLookup applications;
  private final EndpointLookup endpoints;
  private final EndpointTests tests;
  private final TimeSource time;
  private final RateLimiter<Id> rate =
      new RateLimiter<>(MAX_APPLICATIONS, RateLimiter.WhenFull.FORGET_ALL);
  private final ConcurrentHashMap<Id, Integer> running = new ConcurrentHashMap<>();
  private final Semaphore places = new Semaphore(ALL_AT_ONCE);

  EndpointTestCalls(
      ApplicationLookup applications,
      EndpointLookup endpoints,
      EndpointTests tests,
      TimeSource time) {
    this.applications = applications;
    this.endpoints = endpoints;
    this.tests = tests;
    this.time = time;
  }

  void test(Call call) throws IOException {
    Application application = applications.inPath(call);
    Endpoint endpoint = endpoints.inPath(call, application);
    Fields fields = call.fields();
    String type = fields.requiredText("eventType", Limits.EVENT_TYPE_RULE);
    fields.require("payload");
    fields.json("payload", MAX_PAYLOAD);
    Map<String, String> headers =
        fields.textsByName("headers", MAX_HEADERS, HEADER_NAME, HEADER_VALUE);
    fields.check();
    String source = application.spec().uid();
    EndpointTests.Test test =
        new EndpointTests.Test(
            application.id(),
            source == null ? "" : source,
            endpoint.id(),
            type,
            Json.slice(call.body(), "payload"),
            stored(headers));
    switch (limited(application.id().value(), test)) {
      case EndpointTests.Result.NoSuchEndpoint _ -> throw ApiError.notFound("endpoint");
      case EndpointTests.Result.Unavailable(String why) ->
          throw ApiError.unavailable(why, INTERVAL);
      case EndpointTests.Result.Canceled _ ->
          call.json(200, out -> out.object(o -> o.text("outcome", "canceled")));
      case EndpointTests.Result.ExpressionError(String why) ->
          call.json(
              200,
              out -> out.object(o -> o.text("outcome", "expression_error").text("error", why)));
      case EndpointTests.Result.Sent sent ->
          call.json(
              200,
              out ->
                  out.object(
                      o ->
                          write(
                              o, sent, AlertUrls.shown(call, application, sent.request().url()))));
    }
  }

  /** As the headers of a message are stored: names in lower case. */
  private static @Nullable String stored(@Nullable Map<String, String> headers) {
    if (headers == null || headers.isEmpty()) {
      return null;
    }
    Map<String, String> lower = new LinkedHashMap<>();
    headers.forEach((name, value) -> lower.put(name.toLowerCase(Locale.ROOT), value));
    return Json.write(lower);
  }

  private EndpointTests.Result limited(Id application, EndpointTests.Test test) {
    long interval = INTERVAL.toNanos();
    long wait = rate.acquire(application, time.nanos(), interval, BURST * interval);
    if (wait > 0) {
      throw ApiError.tooMany(
          "too many endpoint tests of this application; after %d there may be one every %d s"
              .formatted(BURST, INTERVAL.toSeconds()),
          Duration.ofNanos(wait));
    }
    if (!places.tryAcquire()) {
      throw ApiError.unavailable("too many endpoint tests are in progress; try again", INTERVAL);
    }
    try {
      return oneOfFew(application, test);
    } finally {
      places.release();
    }
  }

  private EndpointTests.Result oneOfFew(Id application, EndpointTests.Test test) {
    try {
      if (running.merge(application, 1, Integer::sum) > AT_ONCE) {
        throw ApiError.tooMany(
            "%d endpoint tests of this application are in progress; wait until one has ended"
                .formatted(AT_ONCE),
            INTERVAL);
      }
      return tests.send(test);
    } finally {
      running.computeIfPresent(application, (_, count) -> count == 1 ? null : count - 1);
    }
  }

  private static void write(JsonOut out, EndpointTests.Result.Sent sent, String url) {
    EndpointTests.Request request = sent.request();
    HttpResult outcome = sent.outcome();
    out.text("outcome", outcome.outcomeClass().name().toLowerCase(Locale.ROOT))
        .textOrNull("error", outcome.detail())
        .number("responseDurationMs", sent.latencyMs());
    if (outcome instanceof HttpResult.Answered answered) {
      out.number("responseStatusCode", answered.status());
      PayloadOut.cutText(out, "response", "responseEncoding", answered.body());
      out.flag("responseTruncated", answered.truncated());
    }
    out.text("url", url)
        .text("method", request.method())
        .textsByName("sentHeaders", request.headers());
    PayloadOut.write(out, "body", request.body(), request.contentType());
    if (sent.transformError() != null) {
      out.text("transformError", sent.transformError());
    }
  }
}
