package dev.postrider.delivery;

import dev.postrider.id.Id;
import org.jspecify.annotations.Nullable;

/**
 * A queue's delivery whose hand-out has ended, or that ended without one.
 *
 * @param version of the hand-out
 * @param status what it is now
 */
public record QueueEnd(
    Id applicationId,
    Id queueId,
    Id deliveryId,
    Id messageId,
    int version,
    DeliveryStatus status,
    @Nullable EndReason reason) {}
