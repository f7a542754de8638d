package dev.postrider.id;

/** The id of a lane, which is that of its endpoint or of its queue. */
public sealed interface LaneId extends TypedId permits EndpointId, QueueId {}
