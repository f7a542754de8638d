/** Verifiers of what only one provider does, each with that provider's rules. */
@NullMarked
package dev.postrider.inbound.verify.provider;

import org.jspecify.annotations.NullMarked;
