package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.ModuleStructure;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * No type that nobody can hold in their head: records of at most 12 components, constructors and
 * methods of at most 8 parameters, packages of at most 25 files.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ShapeTest {
  private ModuleStructure main;

  @BeforeAll
  void read() {
    main = new ModuleStructure(MainClasses.read());
  }

  @Test
  void recordsHaveFewComponents() {
    assertThat(main.largeRecords()).isEmpty();
  }

  @Test
  void parameterListsAreShort() {
    assertThat(main.longParameterLists()).isEmpty();
  }

  @Test
  void packagesHaveFewFiles() {
    assertThat(main.largePackages()).isEmpty();
  }
}
