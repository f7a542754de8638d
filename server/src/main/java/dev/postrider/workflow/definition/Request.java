package dev.postrider.workflow.definition;

import dev.postrider.workflow.data.TextTemplate;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP request of a step.
 *
 * @param url path and query may contain expressions
 * @param headers by name; values may contain expressions and secrets
 * @param body the expression of the body; null: the input of the step
 * @param signingSecret signs the request as Standard Webhooks do; null: it is not signed
 * @param timeout of one try
 */
public record Request(
    TextTemplate url,
    String method,
    Map<String, TextTemplate> headers,
    @Nullable String body,
    @Nullable TextTemplate signingSecret,
    Duration timeout,
    Limits limits) {

  /**
   * The limits of the lane of a step.
   *
   * @param throttle requests in each period; null: not limited
   * @param burst how many at once; null: the default of throttles
   * @param perMinute whether the period is a minute; otherwise it is a second
   * @param maxInFlight requests at the same time; null: the default of lanes
   */
  public record Limits(
      @Nullable Integer throttle,
      @Nullable Integer burst,
      boolean perMinute,
      @Nullable Integer maxInFlight) {

    public static final Limits NONE = new Limits(null, null, false, null);
  }

  public Request {
    headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
  }
}
