/**
 * Alerts: dead letters, verification failures, other rejected requests, opened circuit breakers and
 * lag, sent to a webhook, Slack or Discord.
 *
 * <p>An alert is a message in an application of its own ({@link
 * dev.postrider.alert.Alerts#APPLICATION}) and its targets are the endpoints of that application,
 * so after its commit it is as durable as any message, and is retried, signed and shown like any
 * other. Before that it is only in memory, because it is created after the commit of the event that
 * it is about. There is at most one alert per subject and minute, with the number of suppressed
 * ones; alerts never cause further alerts.
 */
@NullMarked
package dev.postrider.alert;

import org.jspecify.annotations.NullMarked;
