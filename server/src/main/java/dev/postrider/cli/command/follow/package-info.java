/**
 * The commands that print ({@code tail}) or forward ({@code listen}) messages as they arrive, until
 * they are interrupted. Both follow a server through {@code remote.MessageFollower} and connect
 * again when it is unreachable.
 */
@NullMarked
package dev.postrider.cli.command.follow;

import org.jspecify.annotations.NullMarked;
