/**
 * Alerts: dead letters, verification failures, other rejected requests, opened circuits and lag,
 * told to a web hook, Slack or Discord.
 *
 * <p>An alert is a message in an application of its own ({@link
 * dev.postrider.alert.Alerts#APPLICATION}) and its targets are that application's endpoints, so
 * from its commit on it is as durable as any message, and is retried, signed and shown like any
 * other. Before that it stands in memory, for it is made after the commit of what it is about. What
 * is told about one subject is told at most once a minute, with the number of those that were left
 * out; an alert about an alert is never made.
 */
@NullMarked
package dev.postrider.alert;

import org.jspecify.annotations.NullMarked;
