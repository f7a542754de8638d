package dev.postrider.api.endpoint;

import dev.postrider.api.form.FieldInput;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.expression.Expressions;
import dev.postrider.tenant.Application;
import org.jspecify.annotations.Nullable;

/** The checks of an endpoint's URL, expressions and event types before they are stored. */
public record EndpointChecks(UrlCheck urls, Expressions expressions, SubscribableTypes types) {

  /** The same for that application, on its share of the evaluation threads. */
  EndpointChecks of(Application application) {
    return new EndpointChecks(urls, expressions.ownedBy(application.id().value()), types);
  }

  FieldInput.Checks forFields(Application application) {
    return new FieldInput.Checks() {
      @Override
      public String canonicalUrl(String url) throws BadTarget {
        return urls.canonical(application.id().value(), url);
      }

      @Override
      public void checkExpression(String text) {
        expressions.check(text);
      }

      @Override
      public @Nullable String eventTypeProblem(String eventType) {
        return types.problem(application, eventType);
      }
    };
  }
}
