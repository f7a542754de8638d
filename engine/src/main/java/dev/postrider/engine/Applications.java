package dev.postrider.engine;

import dev.postrider.engine.services.TenantServices;
import dev.postrider.id.ApplicationId;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.Environment;
import java.util.Optional;

/** Creates, reads and deletes the applications of the default environment. */
public final class Applications {
  private final TenantServices tenants;

  Applications(TenantServices tenants) {
    this.tenants = tenants;
  }

  public ApplicationId create(String name) {
    return new ApplicationId(
        tenants
            .applications()
            .create(Environment.DEFAULT_ID, ApplicationSpec.named(null, name))
            .id()
            .value());
  }

  /** The application with that uid, created if it does not exist. */
  public ApplicationId getOrCreate(String uid, String name) {
    return new ApplicationId(
        tenants
            .applications()
            .createOrGet(Environment.DEFAULT_ID, ApplicationSpec.named(uid, name))
            .value()
            .id()
            .value());
  }

  /** By id or by uid. */
  public Optional<ApplicationInfo> find(String idOrUid) {
    return Optional.ofNullable(tenants.applications().find(Environment.DEFAULT_ID, idOrUid))
        .map(
            found ->
                new ApplicationInfo(
                    new ApplicationId(found.id().value()),
                    Optional.ofNullable(found.spec().uid()),
                    found.spec().name()));
  }

  /**
   * Deletes the application; its pending deliveries are canceled.
   *
   * @return false if it does not exist
   */
  public boolean delete(ApplicationId id) {
    return tenants.applications().delete(Environment.DEFAULT_ID, id.text());
  }
}
