package dev.postrider.e2e;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import dev.postrider.testkit.ModuleStructure;
import org.junit.jupiter.api.Test;

final class EndToEndStructureTest {
  private final JavaClasses tests =
      ModuleStructure.read("dev.postrider.e2e", EndToEndStructureTest.class);

  @Test
  void packagesHaveNoCycles() {
    assertThat(tests).hasSizeGreaterThan(10);
    assertThat(new ModuleStructure(tests).cycles()).isEmpty();
  }

  /** The tests start the packaged jars. Of the server's code they use only values. */
  @Test
  void theServerIsTestedFromOutside() {
    noClasses()
        .should()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                "are parts of the server",
                type ->
                    type.getPackageName().startsWith("dev.postrider.")
                        && !type.getPackageName()
                            .matches(
                                "dev\\.postrider\\.((e2e|bench|testkit)(\\..*)?|time|json|options)")))
        .check(tests);
  }
}
