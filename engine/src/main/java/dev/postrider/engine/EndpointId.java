package dev.postrider.engine;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;

/**
 * The id of an endpoint.
 *
 * @param text as in the API, such as {@code ep_2kY0…}
 */
public record EndpointId(String text) {
  public EndpointId {
    IdText.id(IdKind.ENDPOINT, text);
  }

  static EndpointId of(Id id) {
    return new EndpointId(id.text(IdKind.ENDPOINT));
  }

  Id id() {
    return IdText.id(IdKind.ENDPOINT, text);
  }

  @Override
  public String toString() {
    return text;
  }
}
