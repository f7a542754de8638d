/**
 * The settings of the server. {@link dev.postrider.config.Settings} declares every setting once:
 * its name, default, form and description. Environment variables, flags, {@code postrider help
 * config} and docs/reference/configuration.md are derived from that table. {@link
 * dev.postrider.config.Values} resolves the texts (flag, then variable, then default) and reports
 * every problem at once. The records, one per capability, validate their values again on
 * construction, so that a program that embeds the engine gets the same messages.
 */
@NullMarked
package dev.postrider.config;

import org.jspecify.annotations.NullMarked;
