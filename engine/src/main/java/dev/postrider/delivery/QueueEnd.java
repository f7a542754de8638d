package dev.postrider.delivery;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * A delivery of a queue whose lease by a consumer has ended, or that ended without one.
 *
 * @param version of the lease
 * @param status the new status
 */
public record QueueEnd(
    Id applicationId,
    Id queueId,
    Id deliveryId,
    Id messageId,
    int version,
    DeliveryStatus status,
    @Nullable EndReason reason) {}
