package dev.postrider.engine;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;

/**
 * The id of a delivery.
 *
 * @param text as the API shows it, such as {@code dlv_2kY0…}
 */
public record DeliveryId(String text) {
  public DeliveryId {
    IdText.id(IdKind.DELIVERY, text);
  }

  static DeliveryId of(Id id) {
    return new DeliveryId(id.text(IdKind.DELIVERY));
  }

  Id id() {
    return IdText.id(IdKind.DELIVERY, text);
  }

  @Override
  public String toString() {
    return text;
  }
}
