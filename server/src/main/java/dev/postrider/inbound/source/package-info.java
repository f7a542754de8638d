/** The stored form of sources: fields, rows, secrets, tokens. */
@NullMarked
package dev.postrider.inbound.source;

import org.jspecify.annotations.NullMarked;
