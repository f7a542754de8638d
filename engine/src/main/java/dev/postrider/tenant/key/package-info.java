/**
 * API keys, signed tokens and integrations: which environment or application a caller acts for, and
 * what it may do there ({@code Capability}). Only hashes of keys are stored.
 */
@NullMarked
package dev.postrider.tenant.key;

import org.jspecify.annotations.NullMarked;
