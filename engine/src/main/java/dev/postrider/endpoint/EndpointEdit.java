package dev.postrider.endpoint;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A spec in the making: starts from another one; what is not touched stays. */
public final class EndpointEdit {
  private @Nullable String uid;
  private String url;
  private String method;
  private String description;
  private Map<String, String> metadata;
  private List<String> subscriptions;
  private List<String> channels;
  private boolean disabled;
  private boolean paused;
  private boolean ordered;
  private boolean pauseOnDeadLetter;
  private int shownVersion;
  private @Nullable Integer throttleRate;
  private @Nullable Integer timeoutMs;
  private @Nullable Integer maxInFlight;
  private @Nullable Integer initialDelayMs;
  private @Nullable String signatureScheme;
  private @Nullable String retryPolicy;
  private boolean useApplicationSecret;
  private @Nullable String filter;
  private @Nullable String transform;
  private List<String> forwardHeaders;

  EndpointEdit(EndpointSpec from) {
    uid = from.uid();
    url = from.url();
    method = from.method();
    description = from.description();
    metadata = from.metadata();
    subscriptions = from.subscriptions();
    channels = from.channels();
    disabled = from.disabled();
    paused = from.paused();
    ordered = from.ordered();
    pauseOnDeadLetter = from.pauseOnDeadLetter();
    shownVersion = from.shownVersion();
    throttleRate = from.throttleRate();
    timeoutMs = from.timeoutMs();
    maxInFlight = from.maxInFlight();
    initialDelayMs = from.initialDelayMs();
    signatureScheme = from.signatureScheme();
    retryPolicy = from.retryPolicy();
    useApplicationSecret = from.useApplicationSecret();
    filter = from.filter();
    transform = from.transform();
    forwardHeaders = from.forwardHeaders();
  }

  public EndpointEdit uid(@Nullable String value) {
    uid = value;
    return this;
  }

  public EndpointEdit url(String value) {
    url = value;
    return this;
  }

  public EndpointEdit method(String value) {
    method = value;
    return this;
  }

  public EndpointEdit description(String value) {
    description = value;
    return this;
  }

  public EndpointEdit metadata(Map<String, String> value) {
    metadata = value;
    return this;
  }

  public EndpointEdit subscriptions(List<String> value) {
    subscriptions = List.copyOf(new TreeSet<>(value));
    return this;
  }

  public EndpointEdit channels(List<String> value) {
    channels = List.copyOf(new TreeSet<>(value));
    return this;
  }

  public EndpointEdit disabled(boolean value) {
    disabled = value;
    return this;
  }

  public EndpointEdit paused(boolean value) {
    paused = value;
    return this;
  }

  public EndpointEdit ordered(boolean value) {
    ordered = value;
    return this;
  }

  public EndpointEdit pauseOnDeadLetter(boolean value) {
    pauseOnDeadLetter = value;
    return this;
  }

  public EndpointEdit shownVersion(int value) {
    shownVersion = value;
    return this;
  }

  public EndpointEdit throttleRate(@Nullable Integer value) {
    throttleRate = value;
    return this;
  }

  public EndpointEdit timeoutMs(@Nullable Integer value) {
    timeoutMs = value;
    return this;
  }

  public EndpointEdit maxInFlight(@Nullable Integer value) {
    maxInFlight = value;
    return this;
  }

  public EndpointEdit initialDelayMs(@Nullable Integer value) {
    initialDelayMs = value;
    return this;
  }

  public EndpointEdit signatureScheme(@Nullable String value) {
    signatureScheme = value;
    return this;
  }

  public EndpointEdit useApplicationSecret(boolean value) {
    useApplicationSecret = value;
    return this;
  }

  public EndpointEdit retryPolicy(@Nullable String value) {
    retryPolicy = value;
    return this;
  }

  public EndpointEdit filter(@Nullable String value) {
    filter = value;
    return this;
  }

  public EndpointEdit transform(@Nullable String value) {
    transform = value;
    return this;
  }

  public EndpointEdit forwardHeaders(List<String> value) {
    forwardHeaders = ForwardedHeaders.canonical(value);
    return this;
  }

  public EndpointSpec done() {
    return new EndpointSpec(
        uid,
        url,
        method,
        description,
        metadata,
        subscriptions,
        channels,
        disabled,
        paused,
        ordered,
        pauseOnDeadLetter,
        shownVersion,
        throttleRate,
        timeoutMs,
        maxInFlight,
        initialDelayMs,
        signatureScheme,
        retryPolicy,
        filter,
        transform,
        forwardHeaders,
        useApplicationSecret);
  }
}
