/** Calls to a running server: its API, its lists page by page, and the live feed. */
@NullMarked
package dev.postrider.cli.remote;

import org.jspecify.annotations.NullMarked;
