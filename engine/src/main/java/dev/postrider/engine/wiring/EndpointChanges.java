package dev.postrider.engine.wiring;

import dev.postrider.delivery.loop.EndpointConfigs;
import dev.postrider.endpoint.EndpointChanged;
import dev.postrider.id.Id;
import java.util.List;

/**
 * Updates caches and pending deliveries after a change of an endpoint, and notifies the other
 * instances.
 */
final class EndpointChanges {
  private final Foundation base;
  private final EndpointConfigs configs;

  EndpointChanges(Foundation base, EndpointConfigs configs) {
    this.base = base;
    this.configs = configs;
  }

  void changed(EndpointChanged changed) {
    Id applicationId = changed.applicationId();
    Id endpointId = changed.endpointId();
    configs.forget(endpointId);
    switch (changed.change()) {
      case CREATED, SECRET_ROTATED -> {}
      case UPDATED, ENABLED, RESUMED -> {
        base.lanes().of(applicationId, endpointId).open();
        lookAt(applicationId, endpointId);
      }
      case DISABLED, DELETED -> lookAt(applicationId, endpointId);
      case PAUSED -> base.lanes().table().close(applicationId, endpointId, Long.MAX_VALUE);
    }
    base.notifyOthers();
  }

  /** These were deleted with their application. */
  void deleted(Id applicationId, List<Id> endpointIds) {
    endpointIds.forEach(endpointId -> lookAt(applicationId, endpointId));
  }

  private void lookAt(Id applicationId, Id endpointId) {
    base.lanes().unpark(applicationId, endpointId, base.time().nowMs());
  }
}
