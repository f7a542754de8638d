package dev.postrider.engine.wiring;

import dev.postrider.delivery.LaneEvent;
import dev.postrider.delivery.loop.EndpointConfigs;
import dev.postrider.endpoint.EndpointChanged;
import dev.postrider.event.EngineEvents;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import java.util.List;

/** Updates the state of lanes in memory after a change of an endpoint or of its deliveries. */
final class EndpointChanges {
  private final Foundation base;
  private final EndpointConfigs configs;

  EndpointChanges(Foundation base, EndpointConfigs configs) {
    this.base = base;
    this.configs = configs;
  }

  void listenTo(EngineEvents events) {
    events.afterCommit(EndpointChanged.class, this::changed);
    events.afterCommit(
        LaneEvent.Queued.class,
        queued -> base.lanes().add(queued.applicationId(), queued.laneId(), base.time().nowMs()));
    events.afterCommit(
        LaneEvent.Canceled.class, canceled -> lookAt(canceled.applicationId(), canceled.laneId()));
  }

  private void changed(EndpointChanged changed) {
    Id applicationId = changed.applicationId().value();
    Id endpointId = changed.endpointId().value();
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
  }

  /** These were deleted with their application. */
  void deleted(Id applicationId, List<EndpointId> endpointIds) {
    endpointIds.forEach(endpointId -> lookAt(applicationId, endpointId.value()));
  }

  private void lookAt(Id applicationId, Id endpointId) {
    base.lanes().unpark(applicationId, endpointId, base.time().nowMs());
  }
}
