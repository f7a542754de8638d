package dev.postrider.api.source;

import static dev.postrider.api.http.RouteAttribute.LENIENT_BODY;
import static dev.postrider.api.http.RouteAttribute.OWN_IDEMPOTENCY;
import static dev.postrider.api.http.RouteAttribute.RETURNS_SECRET;
import static dev.postrider.api.http.RouteAttribute.SENDS;
import static dev.postrider.api.http.Scope.APPLICATION;
import static dev.postrider.api.http.Scope.ENVIRONMENT;
import static dev.postrider.api.http.Scope.PUBLIC;

import dev.postrider.api.endpoint.EndpointCalls;
import dev.postrider.api.endpoint.EndpointDependencies;
import dev.postrider.api.endpoint.TransformationCalls;
import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Router;
import dev.postrider.api.tenant.ApplicationLookup;
import java.security.SecureRandom;
import java.util.List;

/** The API area of sources: their URLs, which providers call, and the API that configures them. */
public final class SourceArea implements ApiArea {
  /** Under the prefix that the SDK uses. */
  private static final String INGEST = "/ingest/api/v1/source";

  /** Paths at which other systems receive, so that URLs at providers need not change. */
  private static final List<String> ALIASES = List.of("/gateway/webhooks", "/sns", "/webhooks");

  private static final String INGEST_SOURCE = INGEST + "/{source}";
  private static final String INGEST_ENDPOINT = INGEST_SOURCE + "/endpoint/{endpoint}";

  private final InboundCalls inbound;
  private final SourceCalls sources;
  private final ReceivedCalls received;
  private final IngestCalls ingest;
  private final EndpointCalls endpoints;
  private final TransformationCalls transformations;

  public SourceArea(
      ApplicationLookup applications,
      SourceServices sources,
      EndpointDependencies endpoints,
      SecureRandom random) {
    this.inbound = new InboundCalls(sources);
    this.sources = new SourceCalls(sources);
    this.received = new ReceivedCalls(this.sources, sources);
    this.ingest = new IngestCalls(applications, sources, random);
    this.endpoints = new EndpointCalls(ingest::application, endpoints);
    this.transformations = new TransformationCalls(ingest::application, endpoints);
  }

  @Override
  public String name() {
    return "source";
  }

  @Override
  public void register(Router routes) {
    inbound(routes);
    sources(routes);
    ingest(routes);
  }

  /** What providers call. */
  private void inbound(Router routes) {
    for (String method : InboundCalls.METHODS) {
      routes.add(method, "/in/{source}", PUBLIC, inbound::receive);
      routes.add(method, "/in/{environment}/{source}", PUBLIC, inbound::receiveOfEnvironment);
    }
    ALIASES.forEach(alias -> routes.alias(alias, "/in"));
    routes.post("/events/{source}/{type}", APPLICATION, inbound::event, OWN_IDEMPOTENCY, SENDS);
  }

  private void sources(Router routes) {
    routes.get(V1 + "/source", ENVIRONMENT, sources::list);
    routes.post(V1 + "/source", ENVIRONMENT, sources::create);
    routes.get(V1 + "/source/{source}", ENVIRONMENT, sources::get);
    routes.put(V1 + "/source/{source}", ENVIRONMENT, sources::put);
    routes.patch(V1 + "/source/{source}", ENVIRONMENT, sources::patch);
    routes.delete(V1 + "/source/{source}", ENVIRONMENT, sources::delete);
    routes.post(V1 + "/source/{source}/secret/rotate", ENVIRONMENT, sources::rotate);
    routes.get(V1 + "/received", ENVIRONMENT, received::all);
    routes.get(V1 + "/source/{source}/received", ENVIRONMENT, received::received);
    routes.get(V1 + "/source/{source}/rejected", ENVIRONMENT, received::rejected);
  }

  /** The same sources under the paths of Svix Ingest. */
  private void ingest(Router routes) {
    routes.get(INGEST, ENVIRONMENT, ingest::list);
    routes.post(INGEST, ENVIRONMENT, ingest::create, LENIENT_BODY);
    routes.get(INGEST_SOURCE, ENVIRONMENT, ingest::get);
    routes.put(INGEST_SOURCE, ENVIRONMENT, ingest::put, LENIENT_BODY);
    routes.patch(INGEST_SOURCE, ENVIRONMENT, ingest::patch, LENIENT_BODY);
    routes.delete(INGEST_SOURCE, ENVIRONMENT, ingest::delete);
    routes.post(INGEST_SOURCE + "/token/rotate", ENVIRONMENT, ingest::rotateToken, RETURNS_SECRET);
    routes.get(INGEST_SOURCE + "/log", ENVIRONMENT, ingest::logs);
    endpoints.register(routes, INGEST_SOURCE + "/endpoint", ENVIRONMENT);
    routes.post(INGEST_ENDPOINT + "/secret/rotate", ENVIRONMENT, endpoints::rotate, LENIENT_BODY);
    routes.get(INGEST_ENDPOINT + "/transformation", ENVIRONMENT, transformations::get);
    routes.patch(
        INGEST_ENDPOINT + "/transformation", ENVIRONMENT, transformations::patch, LENIENT_BODY);
  }
}
