package dev.postrider.delivery;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * A delivery of a pull queue that is finished: its consumer acknowledged or released it, its lease
 * expired, or it ended without a lease.
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
