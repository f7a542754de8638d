/**
 * Child processes and what /proc says about them. A child of ours obeys one command per line on its
 * standard input, answers each with one line of JSON, and ends when its input ends: a killed
 * benchmark leaves nothing behind.
 */
@NullMarked
package dev.postrider.bench.process;

import org.jspecify.annotations.NullMarked;
