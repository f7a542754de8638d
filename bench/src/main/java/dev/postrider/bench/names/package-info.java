/**
 * Host names of the benchmark, resolved without any name server. The class is added to the server's
 * JVM, so it uses nothing but the JDK.
 */
@NullMarked
package dev.postrider.bench.names;

import org.jspecify.annotations.NullMarked;
