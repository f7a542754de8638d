package dev.postrider.field;

import static dev.postrider.field.Field.field;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.field.FieldType.Flag;
import dev.postrider.field.FieldType.Secret;
import dev.postrider.field.FieldType.TextList;
import dev.postrider.field.FieldType.WholeNumber;
import dev.postrider.json.TextRule;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FieldValuesTest {
  private static final OptionalField<Integer> RATE =
      field("rate", new WholeNumber(1, 10)).column("rate").optional();
  private static final DefaultField<Boolean> PAUSED = field("paused", new Flag()).byDefault(false);
  private static final DefaultField<List<String>> NAMES =
      field("names", new TextList(3, TextRule.of(1, 5)))
          .canonical(names -> names.stream().sorted().toList())
          .byDefault(List.of());

  private static final OptionalField<String> KEY =
      field("key", new Secret(TextRule.of(1, 10))).optional();

  @Test
  void aFieldThatWasNotSetHasItsDefault() {
    assertThat(FieldValues.NONE.get(RATE)).isNull();
    assertThat(FieldValues.NONE.get(PAUSED)).isFalse();
    assertThat(FieldValues.NONE.value(NAMES)).isEmpty();
  }

  @Test
  void aDefaultThatWasSetIsEqualToOneThatWasNot() {
    FieldValues set = FieldValues.NONE.with(PAUSED, false).with(NAMES, List.of()).with(RATE, null);
    assertThat(set).isEqualTo(FieldValues.NONE).hasSameHashCodeAs(FieldValues.NONE);
    assertThat(FieldValues.NONE.with(PAUSED, true)).isNotEqualTo(FieldValues.NONE);
  }

  @Test
  void nullSetsTheDefault() {
    FieldValues set = FieldValues.NONE.with(RATE, 3).with(PAUSED, true);
    assertThat(set.with(RATE, null).with(PAUSED, null)).isEqualTo(FieldValues.NONE);
    assertThat(set.get(RATE)).as("the first is unchanged").isEqualTo(3);
  }

  @Test
  void valuesAreKeptInOneSpelling() {
    FieldValues set = FieldValues.NONE.with(NAMES, List.of("b", "a"));
    assertThat(set.get(NAMES)).containsExactly("a", "b");
    assertThat(set.differs(NAMES, FieldValues.NONE.with(NAMES, List.of("a", "b")))).isFalse();
    assertThat(set.differs(NAMES, FieldValues.NONE)).isTrue();
  }

  @Test
  void onlyWhatIsAskedForChanges() {
    FieldChanges changes = new FieldChanges();
    changes.set(RATE, null);
    changes.set(NAMES, List.of("x"));
    FieldValues after = changes.onto(FieldValues.NONE.with(RATE, 3).with(PAUSED, true));
    assertThat(after).isEqualTo(FieldValues.NONE.with(PAUSED, true).with(NAMES, List.of("x")));
  }

  @Test
  void aSecretIsNotShown() {
    assertThat(FieldValues.NONE.with(KEY, "hidden").with(RATE, 3))
        .hasToString("{key=********, rate=3}");
  }

  @Test
  void aPresetDoesNotReplaceWhatIsGiven() {
    FieldValues preset = FieldValues.NONE.with(RATE, 3).with(PAUSED, true);
    FieldChanges changes = new FieldChanges();
    changes.set(RATE, 5);
    changes.setMissing(preset, field -> field == RATE);
    assertThat(changes.onto(FieldValues.NONE))
        .isEqualTo(FieldValues.NONE.with(RATE, 5).with(PAUSED, true));
  }

  @Test
  void onlyStoredFieldsHaveColumnsAndResponses() {
    FieldSet fields = FieldSet.of(RATE, KEY);
    assertThat(fields).hasSize(2);
    assertThat(fields.stored()).containsExactly(RATE);
    assertThat(FieldJson.write(fields, FieldValues.NONE.with(KEY, "hidden"))).isEqualTo("{}");
  }

  @Test
  void twoFieldsOfOneSetDifferInNameAndColumn() {
    assertThatThrownBy(() -> FieldSet.of(RATE, field("rate", new Flag()).byDefault(true)))
        .hasMessage("two fields have the name rate");
    Field.Single single = new Field.Single("rate", "", "", false);
    assertThatThrownBy(
            () -> FieldSet.of(RATE, field("rates", new Flag()).single(single).byDefault(true)))
        .hasMessage("two fields have the name rate");
    assertThatThrownBy(
            () -> FieldSet.of(RATE, field("other", new Flag()).column("rate").byDefault(true)))
        .hasMessage("two fields have the column rate");
  }
}
