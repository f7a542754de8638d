package dev.postrider.engine.services;

import dev.postrider.audit.AuditStore;
import dev.postrider.task.Tasks;

/** The services of the engine for background tasks, the audit log, pruning and resealing. */
public record OperationsServices(
    Tasks tasks, AuditStore audit, Pruning pruning, Resealing resealing) {}
