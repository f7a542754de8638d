package dev.postrider.bench.load;

import java.util.List;

/**
 * The work of the load generator: what it sends, and at which rate.
 *
 * @param servers {@code host:port} of each instance; the connections are spread over them
 * @param applications whom to send to, in turn
 * @param keyPrefix begins every idempotency key; unique per run, or the second run has only losers
 * @param payloadBytes size of each payload
 * @param connections callers of a closed loop; the most at a time of an open one
 * @param ratePerSecond requests per second of an open loop; 0 = closed loop
 * @param batch messages per request; 1 = the single call
 * @param limit requests after which to stop; 0 = none
 * @param secret of the sources: requests then go to {@code /in/…} and are signed as GitHub does;
 *     empty = to the API
 */
public record LoadPlan(
    List<String> servers,
    List<String> applications,
    String token,
    String keyPrefix,
    String eventType,
    int payloadBytes,
    int connections,
    double ratePerSecond,
    int batch,
    long limit,
    String secret) {

  public LoadPlan {
    if (servers.isEmpty() || applications.isEmpty() || connections < servers.size() || batch < 1) {
      throw new IllegalArgumentException(
          "a load plan needs a server, an application, a connection per server and a batch of 1 or"
              + " more");
    }
  }

  public LoadPlan withRate(double rate) {
    return new LoadPlan(
        servers,
        applications,
        token,
        keyPrefix,
        eventType,
        payloadBytes,
        connections,
        rate,
        batch,
        limit,
        secret);
  }

  public LoadPlan withKeys(String prefix) {
    return new LoadPlan(
        servers,
        applications,
        token,
        prefix,
        eventType,
        payloadBytes,
        connections,
        ratePerSecond,
        batch,
        limit,
        secret);
  }

  public LoadPlan withLimit(long requests) {
    return new LoadPlan(
        servers,
        applications,
        token,
        keyPrefix,
        eventType,
        payloadBytes,
        connections,
        ratePerSecond,
        batch,
        requests,
        secret);
  }

  public LoadPlan withBatch(int messages) {
    return new LoadPlan(
        servers,
        applications,
        token,
        keyPrefix,
        eventType,
        payloadBytes,
        connections,
        ratePerSecond,
        messages,
        limit,
        secret);
  }

  public LoadPlan to(List<String> others) {
    return new LoadPlan(
        servers,
        others,
        token,
        keyPrefix,
        eventType,
        payloadBytes,
        connections,
        ratePerSecond,
        batch,
        limit,
        secret);
  }

  public LoadPlan withEventType(String type) {
    return new LoadPlan(
        servers,
        applications,
        token,
        keyPrefix,
        type,
        payloadBytes,
        connections,
        ratePerSecond,
        batch,
        limit,
        secret);
  }

  /** To sources of these names instead of the API. */
  public LoadPlan toSources(List<String> names, String theirSecret) {
    return new LoadPlan(
        servers,
        names,
        token,
        keyPrefix,
        eventType,
        payloadBytes,
        connections,
        ratePerSecond,
        batch,
        limit,
        theirSecret);
  }
}
