package dev.postrider.api;

import dev.postrider.expression.Expressions;
import dev.postrider.tenant.Application;

/** What an endpoint's values are checked with before they are stored. */
public record EndpointChecks(UrlCheck urls, Expressions expressions, SubscribableTypes types) {

  /** The same for that application, on its share of the evaluation threads. */
  EndpointChecks of(Application application) {
    return new EndpointChecks(urls, expressions.ownedBy(application.id()), types);
  }
}
