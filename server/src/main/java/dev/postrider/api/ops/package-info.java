/** Statistics, background tasks, alerts, live feed, audit log, configuration file, health. */
@NullMarked
package dev.postrider.api.ops;

import org.jspecify.annotations.NullMarked;
