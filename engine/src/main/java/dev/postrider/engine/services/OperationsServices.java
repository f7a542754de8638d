package dev.postrider.engine.services;

import dev.postrider.maintenance.Pruner;
import dev.postrider.statistics.StatisticsReader;
import dev.postrider.task.Tasks;

/** The services of the engine for statistics, background tasks and pruning. */
public record OperationsServices(StatisticsReader statistics, Tasks tasks, Pruner pruner) {}
