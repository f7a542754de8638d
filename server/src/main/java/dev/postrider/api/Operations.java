package dev.postrider.api;

import dev.postrider.operational.OperationalWebhooks;
import dev.postrider.statistics.StatisticsReader;
import dev.postrider.task.Tasks;
import java.util.function.Supplier;

/**
 * What the calls beside sending and receiving need.
 *
 * @param serverUrl the address that people use
 */
public record Operations(
    StatisticsReader statistics,
    Tasks tasks,
    OperationalWebhooks operational,
    Pruning pruning,
    Supplier<String> serverUrl) {}
