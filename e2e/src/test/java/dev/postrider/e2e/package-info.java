/**
 * Black-box tests of what is shipped: the jars, the launcher and the library, with the official
 * clients and with processes that are killed. A test starts its server as a process of its own, or
 * shares one per database with its package, and sees only what a user sees. Tests of this module
 * run after packaging, in the phase {@code integration-test}.
 */
@NullMarked
package dev.postrider.e2e;

import org.jspecify.annotations.NullMarked;
