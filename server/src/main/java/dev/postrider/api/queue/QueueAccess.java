package dev.postrider.api.queue;

import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.queue.Queue;
import dev.postrider.queue.QueueKeys;
import dev.postrider.queue.QueueStore;
import dev.postrider.tenant.key.ApiKey;
import dev.postrider.tenant.key.ApiKeys;
import io.helidon.http.HeaderNames;
import org.jspecify.annotations.Nullable;

/**
 * Checks who may read a queue: the key of the queue, or an API key with access to its application.
 */
final class QueueAccess {
  private static final String BEARER = "Bearer ";

  private final ApplicationLookup applications;
  private final QueueStore store;
  private final ApiKeys keys;

  QueueAccess(ApplicationLookup applications, QueueStore store, ApiKeys keys) {
    this.applications = applications;
    this.store = store;
    this.keys = keys;
  }

  /** The queue in the path, for callers that may receive its messages. */
  Queue reader(Call call) {
    return reader(call, false);
  }

  /** The same; a polling token is accepted too. */
  Queue poller(Call call) {
    return reader(call, true);
  }

  private Queue reader(Call call, boolean polls) {
    String token = token(call.header(HeaderNames.AUTHORIZATION));
    if (token.length() >= QueueKeys.MIN_LENGTH) {
      Queue opened = store.byKey(token);
      if (opened == null && polls) {
        opened = store.byToken(token);
      }
      if (opened != null) {
        return named(opened, call);
      }
    }
    ApiKey key = token.isEmpty() ? null : keys.authenticate(token);
    if (key == null) {
      throw ApiError.unauthenticated();
    }
    if (key.role() == ApiKey.Role.READ_ONLY) {
      throw ApiError.forbidden(
          "this API key is read-only, and receiving messages changes the queue");
    }
    if (key.capabilities() != null) {
      throw ApiError.forbidden(
          "a portal token cannot receive messages; use the key of the queue or an API key");
    }
    return inPath(call.as(key));
  }

  private static String token(@Nullable String header) {
    return header != null && header.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? header.substring(BEARER.length()).strip()
        : "";
  }

  /** The queue in the path of a request whose key was already checked. */
  Queue inPath(Call call) {
    Queue queue = store.find(applications.inPath(call).id(), call.path("queue"));
    if (queue == null) {
      throw ApiError.notFound("queue");
    }
    return queue;
  }

  /** The key of a queue is valid only for that queue. */
  private Queue named(Queue opened, Call call) {
    Queue named = store.find(opened.applicationId(), call.path("queue"));
    if (named == null
        || !named.id().equals(opened.id())
        || !store.isOf(opened, call.path("application"))) {
      throw ApiError.notFound("queue");
    }
    return opened;
  }
}
