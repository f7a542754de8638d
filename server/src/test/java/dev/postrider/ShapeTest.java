package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
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
  private static final int MAX_COMPONENTS = 12;
  private static final int MAX_PARAMETERS = 8;

  private static final int MAX_FILES = 25;

  /**
   * All but the last two are types of the core, which is to be rebuilt around lane and delivery.
   */
  private static final Set<String> LARGE_RECORDS =
      Set.of("delivery.Attempt", "delivery.Leased", "delivery.store.LaneView");

  private static final Set<String> LONG_PARAMETER_LISTS =
      Set.of(
          "delivery.accept.GroupCommit#<init>",
          "delivery.loop.Claimer#<init>",
          "delivery.loop.LaneFinish#<init>",
          "delivery.loop.Sender#<init>",
          "maintenance.Rescuer#<init>");

  private static final Set<String> LARGE_PACKAGES = Set.of();

  private JavaClasses main;

  @BeforeAll
  void read() {
    main = MainClasses.read();
  }

  @Test
  void recordsHaveFewComponents() {
    TreeSet<String> found =
        main.stream()
            .filter(JavaClass::isRecord)
            .filter(
                type ->
                    type.getFields().stream()
                            .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                            .count()
                        > MAX_COMPONENTS)
            .map(ShapeTest::name)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(found).isEqualTo(new TreeSet<>(LARGE_RECORDS));
  }

  @Test
  void parameterListsAreShort() {
    TreeSet<String> found =
        main.stream()
            .filter(type -> !type.isRecord())
            .flatMap(type -> type.getCodeUnits().stream())
            .filter(unit -> !unit.getModifiers().contains(JavaModifier.SYNTHETIC))
            .filter(unit -> unit.getRawParameterTypes().size() > MAX_PARAMETERS)
            .map(unit -> name(unit.getOwner()) + "#" + unit.getName())
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(found).isEqualTo(new TreeSet<>(LONG_PARAMETER_LISTS));
  }

  @Test
  void packagesHaveFewFiles() {
    Map<String, Long> files =
        main.stream()
            .filter(type -> type.getEnclosingClass().isEmpty())
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .filter(type -> type.getPackageName().startsWith("dev.postrider."))
            .collect(
                Collectors.groupingBy(
                    type -> type.getPackageName().substring("dev.postrider.".length()),
                    Collectors.counting()));
    TreeSet<String> found = new TreeSet<>(files.keySet());
    found.removeIf(name -> files.getOrDefault(name, 0L) <= MAX_FILES);
    assertThat(found).isEqualTo(new TreeSet<>(LARGE_PACKAGES));
  }

  private static String name(JavaClass type) {
    return type.getName().substring("dev.postrider.".length());
  }
}
