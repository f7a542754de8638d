package dev.postrider.api;

import dev.postrider.statistics.StatisticsReader;

/** What the calls beside sending and receiving need. */
public record Operations(StatisticsReader statistics) {}
