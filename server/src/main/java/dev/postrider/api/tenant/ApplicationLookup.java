package dev.postrider.api.tenant;

import dev.postrider.api.form.Limits;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.crypto.KeyScope;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.json.TextRule;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.key.ApiKey;
import org.jspecify.annotations.Nullable;

/** Finds the application that a path, a query or a body names. */
public final class ApplicationLookup {
  private final ApplicationStore store;

  public ApplicationLookup(ApplicationStore store) {
    this.store = store;
  }

  /** The application in the path, if the caller may see it. */
  public Application inPath(Call call) {
    ApiKey key = call.key();
    Application found = store.find(key.environmentId(), call.path("application"));
    if (found == null || (key.applicationId() != null && !key.applicationId().equals(found.id()))) {
      throw ApiError.notFound("application");
    }
    return found;
  }

  /**
   * The application in the query, or that of an application's key; null for all of the environment.
   */
  public @Nullable Application inQuery(Call call) {
    ApplicationId own = call.key().applicationId();
    String wanted = call.query().text("application", TextRule.of(1, Limits.UID));
    if (wanted == null) {
      return own == null ? null : named(call.environmentId(), own.text());
    }
    Application named = named(call.environmentId(), wanted);
    if (own != null && !own.equals(named.id())) {
      throw ApiError.notFound("application");
    }
    return named;
  }

  /**
   * Which data key encrypts the stored response to the call: that of the application in its path.
   */
  public KeyScope keyScope(Call call) {
    Application found =
        call.hasPath("application")
            ? store.find(call.environmentId(), call.path("application"))
            : null;
    return found == null ? KeyScope.ofEnvironment(call.environmentId()) : found.keyScope();
  }

  @Nullable
  public Application find(String environmentId, String name) {
    return store.find(environmentId, name);
  }

  public Application named(String environmentId, String name) {
    Application found = store.find(environmentId, name);
    if (found == null) {
      throw ApiError.notFound("application");
    }
    return found;
  }

  /** Some of an environment's applications. */
  public Keyset.Page<Application> page(String environmentId, Keyset<Id> keyset) {
    return store.list(environmentId, keyset);
  }

  /**
   * The application with that uid, created as described if it does not exist: for a message or a
   * portal token that contains an application. An existing application is not changed.
   */
  public Application ensure(String environmentId, String name, Fields described) {
    Application found = store.find(environmentId, name);
    if (found != null) {
      return found;
    }
    if (name.startsWith(IdKind.APPLICATION.prefix())) {
      throw ApiError.notFound("application");
    }
    ApplicationSpec spec = ApplicationForm.under(described, name);
    return store.createOrGet(environmentId, spec).value();
  }

  public static String idText(Application application) {
    return application.id().text();
  }
}
