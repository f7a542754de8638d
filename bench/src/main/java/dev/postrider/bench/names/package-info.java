/**
 * Host names of the benchmark, resolved without a name server. This class is loaded into the JVM of
 * the server, so it uses only the JDK.
 */
@NullMarked
package dev.postrider.bench.names;

import org.jspecify.annotations.NullMarked;
