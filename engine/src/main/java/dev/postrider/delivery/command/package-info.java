/** What users request of deliveries and endpoints: send again, cancel, test. */
@NullMarked
package dev.postrider.delivery.command;

import org.jspecify.annotations.NullMarked;
