/** Key management services, each against a stand-in on loopback. */
@NullMarked
package dev.postrider.crypto.kms;

import org.jspecify.annotations.NullMarked;
