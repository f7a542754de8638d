/**
 * The API for operators: health, statistics, background tasks, alerts, live feed, audit log,
 * retention and the configuration file. Health is served by instances with the role worker too.
 * Statistics come from counters, except those by event type, which read a limited number of
 * attempts.
 */
@NullMarked
package dev.postrider.api.ops;

import org.jspecify.annotations.NullMarked;
