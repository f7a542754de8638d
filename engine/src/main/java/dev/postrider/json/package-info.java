/**
 * JSON as this program reads and writes it. Cold paths read a bounded tree through {@link
 * dev.postrider.json.Fields}, which collects every problem with its path; hot paths read tokens
 * over the request's own bytes and write bytes by hand.
 */
@NullMarked
package dev.postrider.json;

import org.jspecify.annotations.NullMarked;
