/**
 * What a run needs around it: PostgreSQL with durability on, the server process, applications and
 * endpoints, final counts.
 */
@NullMarked
package dev.postrider.bench.rig;

import org.jspecify.annotations.NullMarked;
