package dev.postrider.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import dev.postrider.testkit.ModuleStructure;
import org.junit.jupiter.api.Test;

final class BenchStructureTest {
  private final JavaClasses main = ModuleStructure.read("dev.postrider.bench", BenchMain.class);
  private final ModuleStructure structure = new ModuleStructure(main);

  @Test
  void packagesHaveNoCycles() {
    assertThat(main).hasSizeGreaterThan(50);
    assertThat(structure.cycles()).isEmpty();
  }

  @Test
  void typesAndPackagesAreSmall() {
    assertThat(structure.largeRecords()).isEmpty();
    assertThat(structure.longParameterLists()).isEmpty();
    assertThat(structure.largePackages()).isEmpty();
  }

  /**
   * It measures a server from outside. Of the server's code it uses leaves, and the sender as a
   * reference.
   */
  @Test
  void theServerIsMeasuredFromOutside() {
    noClasses()
        .should()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                "are parts of the server",
                type ->
                    type.getPackageName().startsWith("dev.postrider.")
                        && !type.getPackageName()
                            .matches(
                                "dev\\.postrider\\.(bench(\\..*)?|time|id|net|signature|delivery|delivery\\.http(\\.address)?)")))
        .check(main);
  }
}
