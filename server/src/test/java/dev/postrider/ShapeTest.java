package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.ModuleStructure;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * No type that nobody can hold in their head: records of at most 12 components, constructors and
 * methods of at most 8 parameters, packages of about 25 files. The lists name what is still larger;
 * they only get shorter.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ShapeTest {
  private static final Set<String> LARGE_RECORDS =
      Set.of("delivery.Attempt", "delivery.store.LaneView");

  private static final Set<String> LONG_PARAMETER_LISTS =
      Set.of("delivery.loop.Claimer#<init>", "delivery.loop.Sender#<init>");

  private ModuleStructure main;

  @BeforeAll
  void read() {
    main = new ModuleStructure(MainClasses.read());
  }

  @Test
  void recordsHaveFewComponents() {
    assertThat(main.largeRecords()).isEqualTo(LARGE_RECORDS);
  }

  @Test
  void parameterListsAreShort() {
    assertThat(main.longParameterLists()).isEqualTo(LONG_PARAMETER_LISTS);
  }

  @Test
  void packagesHaveFewFiles() {
    assertThat(main.largePackages()).isEmpty();
  }
}
