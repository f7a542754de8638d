/**
 * The difference between a {@link dev.postrider.configfile.Document} and the server, and its
 * application.
 *
 * <p>One {@code Reconciler} per type of object compares the document with what is stored and adds
 * creates, updates and deletes to the {@code PlanBuilder}, each with the work that applies it. All
 * deletes come before the creates and updates, because a new object may need the name of a deleted
 * one. Planning writes nothing. {@link dev.postrider.configfile.plan.Configurator} plans twice to
 * apply: first to check the URLs, which looks up names and therefore holds no connection; then in
 * the transaction that runs the plan, under a lock, because others may have changed the server in
 * between. All stores use that one transaction ({@code OneTransaction}), and events are published
 * after its commit.
 *
 * <p>{@code FileOwnershipStore} stores which file owns which objects. A file deletes only objects
 * that it owns. {@link dev.postrider.configfile.plan.Terms} state the owner, and which objects of
 * other owners the document takes over.
 */
@NullMarked
package dev.postrider.configfile.plan;

import org.jspecify.annotations.NullMarked;
