package dev.postrider.engine;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;

/**
 * The id of an application.
 *
 * @param text as in the API, such as {@code app_2kY0…}
 */
public record ApplicationId(String text) {
  public ApplicationId {
    IdText.id(IdKind.APPLICATION, text);
  }

  static ApplicationId of(Id id) {
    return new ApplicationId(id.text(IdKind.APPLICATION));
  }

  Id id() {
    return IdText.id(IdKind.APPLICATION, text);
  }

  @Override
  public String toString() {
    return text;
  }
}
