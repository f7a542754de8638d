package dev.postrider.engine.services;

/** The parts of an engine that the server is built on, grouped by concept. */
public record EngineServices(
    StorageServices storage,
    TenantServices tenants,
    EndpointServices endpoints,
    TargetServices targets,
    EventTypeServices eventTypes,
    MessageServices messages,
    DeliveryServices deliveries,
    QueueServices queues,
    EvaluationServices evaluation,
    OperationsServices operations,
    NotificationServices notifications,
    EngineStatus status) {}
