/** Verifiers of single providers, each with the rules of that provider. */
@NullMarked
package dev.postrider.inbound.verify.provider;

import org.jspecify.annotations.NullMarked;
