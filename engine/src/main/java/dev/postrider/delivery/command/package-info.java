/**
 * What users request of deliveries and endpoints, as interfaces: {@link
 * dev.postrider.delivery.command.Redrive} sends again, {@link
 * dev.postrider.delivery.command.Cancel} cancels, {@link
 * dev.postrider.delivery.command.EndpointTests} sends one test request. The API and background
 * tasks call them; {@code delivery.loop} implements them, because the claimer, the lanes in memory
 * and the listeners have to know.
 */
@NullMarked
package dev.postrider.delivery.command;

import org.jspecify.annotations.NullMarked;
