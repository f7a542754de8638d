/**
 * A model of several instances on one database, for docs/internals/scaling.md: how many instances
 * and databases a rate needs at a measured cost per message. {@link
 * dev.postrider.bench.model.ClusterModel} simulates group commit step by step.
 */
@NullMarked
package dev.postrider.bench.model;

import org.jspecify.annotations.NullMarked;
