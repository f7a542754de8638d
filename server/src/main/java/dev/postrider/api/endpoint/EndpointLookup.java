package dev.postrider.api.endpoint;

import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the endpoint that a path or a query names. */
public final class EndpointLookup {
  private final EndpointStore store;

  public EndpointLookup(EndpointStore store) {
    this.store = store;
  }

  /** The endpoint in the path. */
  public Endpoint inPath(Call call, Application application) {
    return named(application, call.path("endpoint"));
  }

  public Endpoint named(Application application, String name) {
    return present(store.find(application.id(), name));
  }

  static Endpoint present(@Nullable Endpoint found) {
    if (found == null) {
      throw ApiError.notFound("endpoint");
    }
    return found;
  }

  /**
   * Those of these endpoints that lie beyond the key, in the order that the key is read; deleted
   * ones too.
   */
  public List<Endpoint> all(Id applicationId, Keyset<Id> keyset, Set<Id> wanted) {
    Comparator<Id> way =
        keyset.readsUpwards() ? Comparator.naturalOrder() : Comparator.reverseOrder();
    Id from = keyset.from();
    List<Id> beyond =
        wanted.stream().filter(id -> from == null || way.compare(id, from) > 0).toList();
    return store.withDeleted(new ApplicationId(applicationId), beyond).stream()
        .sorted(Comparator.comparing(endpoint -> endpoint.id().value(), way))
        .limit(keyset.fetch())
        .toList();
  }

  /** What is put in the queue of a disabled endpoint would only be canceled. */
  public static void refuseDisabled(Endpoint endpoint) {
    if (endpoint.spec().get(EndpointFields.DISABLED)) {
      throw new ApiError(400, "endpoint_disabled", "the endpoint is disabled; enable it first");
    }
  }
}
