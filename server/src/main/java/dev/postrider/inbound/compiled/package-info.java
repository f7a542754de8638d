/**
 * Sources ready for requests. {@link dev.postrider.inbound.compiled.SourceCompiler} parses the
 * fields of a source into a {@link dev.postrider.inbound.compiled.CompiledSource}: verifier,
 * handshakes, rules, schema and schedule. The same compilation validates a source before it is
 * stored and reports every problem with its field, so a stored source can always be compiled. A
 * request then needs no parsing of rules, no database and no decryption.
 */
@NullMarked
package dev.postrider.inbound.compiled;

import org.jspecify.annotations.NullMarked;
