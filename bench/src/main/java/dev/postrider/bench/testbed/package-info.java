/**
 * The environment of a run: PostgreSQL with durable commits, the server process, applications and
 * endpoints, and the final counts.
 */
@NullMarked
package dev.postrider.bench.testbed;

import org.jspecify.annotations.NullMarked;
