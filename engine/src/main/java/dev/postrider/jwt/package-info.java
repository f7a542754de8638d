/**
 * JSON Web Tokens, for callers of the API and for providers that sign requests with them.
 *
 * <p>Signatures are checked by Nimbus JOSE+JWT. What it is lenient about is checked before:
 * spelling, names that come twice, times (docs/adr/0016).
 */
@NullMarked
package dev.postrider.jwt;

import org.jspecify.annotations.NullMarked;
