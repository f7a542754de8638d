/**
 * What a person may choose. {@link dev.postrider.config.Settings} declares every setting once: its
 * name, default, form and sentence. Environment variables, flags, {@code postrider help config} and
 * docs/reference/configuration.md are all read from that table. {@link dev.postrider.config.Values}
 * resolves raw text (flag, then variable, then default) and reports every problem at once; the
 * records, one per capability, check themselves again on construction, so that a program that
 * embeds the engine gets the same messages.
 */
@NullMarked
package dev.postrider.config;

import org.jspecify.annotations.NullMarked;
