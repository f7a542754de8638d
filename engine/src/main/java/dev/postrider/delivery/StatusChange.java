package dev.postrider.delivery;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Deliveries of one lane that got another status without a try: given another one by hand, or
 * canceled while they waited.
 *
 * @param laneKind whether that is an endpoint or a queue
 * @param status what they are now
 */
public record StatusChange(
    Id applicationId,
    Id laneId,
    IdKind laneKind,
    List<Id> deliveries,
    DeliveryStatus status,
    @Nullable Long nextAttemptAtMs,
    @Nullable EndReason reason) {}
