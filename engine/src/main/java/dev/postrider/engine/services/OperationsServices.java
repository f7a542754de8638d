package dev.postrider.engine.services;

import dev.postrider.maintenance.Pruner;
import dev.postrider.statistics.StatisticsReader;
import dev.postrider.task.Tasks;

/** Statistics, background tasks, pruning. */
public record OperationsServices(StatisticsReader statistics, Tasks tasks, Pruner pruner) {}
