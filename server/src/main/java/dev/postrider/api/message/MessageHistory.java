package dev.postrider.api.message;

import dev.postrider.delivery.store.AttemptReader;
import dev.postrider.delivery.store.ContentStore;
import dev.postrider.delivery.store.DeliveryReader;
import dev.postrider.engine.services.DeliveryReaders;
import dev.postrider.message.MessageReader;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;

/** The readers of stored messages, deliveries and attempts. */
public record MessageHistory(
    Database database, MessageReader messages, DeliveryReaders readers, CommitWatermark watermark) {

  MessageLookup lookup() {
    return new MessageLookup(messages);
  }

  DeliveryReader deliveries() {
    return readers.deliveries();
  }

  AttemptReader attempts() {
    return readers.attempts();
  }

  ContentStore content() {
    return readers.content();
  }
}
