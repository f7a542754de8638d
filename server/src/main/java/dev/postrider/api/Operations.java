package dev.postrider.api;

import dev.postrider.operational.OperationalWebhooks;
import dev.postrider.statistics.StatisticsReader;
import dev.postrider.task.Tasks;

/** What the calls beside sending and receiving need. */
public record Operations(
    StatisticsReader statistics, Tasks tasks, OperationalWebhooks operational) {}
