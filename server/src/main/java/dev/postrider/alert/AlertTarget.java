package dev.postrider.alert;

import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointSpec;
import java.util.Arrays;
import java.util.List;

/**
 * The target of alerts: an endpoint of the application for alerts.
 *
 * @param form the text of an {@link AlertForm}
 * @param on the texts of {@link AlertKind}s; none means all
 */
public record AlertTarget(String name, String form, String url, List<String> on) {
  public AlertTarget {
    on = List.copyOf(on);
  }

  public EndpointSpec spec() {
    return onto(EndpointSpec.of(url));
  }

  /** Fields of the endpoint that an alert target does not have are unchanged. */
  public EndpointSpec onto(EndpointSpec before) {
    return before
        .with(EndpointFields.UID, name)
        .with(EndpointFields.URL, url)
        .with(EndpointFields.CHANNELS, List.of(form))
        .with(
            EndpointFields.SUBSCRIPTIONS,
            Arrays.stream(AlertKind.values())
                .filter(kind -> on.contains(kind.text()))
                .map(AlertKind::eventType)
                .toList());
  }
}
