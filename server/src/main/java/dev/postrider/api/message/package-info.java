/** Sending messages; messages, deliveries and attempts; resend, redrive and recovery; dry runs. */
@NullMarked
package dev.postrider.api.message;

import org.jspecify.annotations.NullMarked;
