package dev.postrider.testkit;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What is too large in the code of a module, and which of its packages import each other in a
 * cycle. Each module has a test that compares this with what it allows.
 */
public final class ModuleStructure {
  private static final String ROOT = "dev.postrider.";
  private static final int MAX_COMPONENTS = 12;
  private static final int MAX_PARAMETERS = 8;
  private static final int MAX_FILES = 25;

  private final JavaClasses classes;

  public ModuleStructure(JavaClasses classes) {
    this.classes = classes;
  }

  /** The classes of a package that are where these types are, so without those of their tests. */
  public static JavaClasses read(String inPackage, Class<?>... types) {
    Set<String> folders = new HashSet<>();
    for (Class<?> type : types) {
      folders.add(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }
    return new ClassFileImporter()
        .withImportOption(place -> folders.stream().anyMatch(place::contains))
        .importPackages(inPackage);
  }

  /** Records with too many components. */
  public Set<String> largeRecords() {
    return classes.stream()
        .filter(JavaClass::isRecord)
        .filter(type -> components(type).size() > MAX_COMPONENTS)
        .map(ModuleStructure::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<JavaClass> components(JavaClass type) {
    return type.getFields().stream()
        .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
        .map(JavaField::getRawType)
        .toList();
  }

  /** Methods and constructors with too many parameters, except a record's own constructor. */
  public Set<String> longParameterLists() {
    return classes.stream()
        .flatMap(type -> type.getCodeUnits().stream())
        .filter(unit -> !unit.getModifiers().contains(JavaModifier.SYNTHETIC))
        .filter(unit -> unit.getRawParameterTypes().size() > MAX_PARAMETERS)
        .filter(unit -> !isCanonical(unit))
        .map(unit -> name(unit.getOwner()) + "#" + unit.getName())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Whether its parameters are the components, of which {@link #largeRecords} counts. */
  private static boolean isCanonical(JavaCodeUnit unit) {
    return unit instanceof JavaConstructor
        && unit.getOwner().isRecord()
        && unit.getRawParameterTypes().size() == components(unit.getOwner()).size()
        && new HashSet<>(unit.getRawParameterTypes())
            .equals(new HashSet<>(components(unit.getOwner())));
  }

  /** Packages with too many files. */
  public Set<String> largePackages() {
    Map<String, Long> files =
        classes.stream()
            .filter(type -> type.getEnclosingClass().isEmpty())
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
    return files.entrySet().stream()
        .filter(entry -> entry.getValue() > MAX_FILES)
        .map(entry -> entry.getKey().substring(ROOT.length()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The imports between packages that are part of a cycle. */
  public Set<String> cycles() {
    Map<String, Set<String>> imports = new TreeMap<>();
    for (JavaClass type : classes) {
      type.getDirectDependenciesFromSelf().stream()
          .map(dependency -> dependency.getTargetClass().getBaseComponentType().getPackageName())
          .filter(to -> to.startsWith(ROOT) && !to.equals(type.getPackageName()))
          .forEach(
              to -> imports.computeIfAbsent(type.getPackageName(), _ -> new TreeSet<>()).add(to));
    }
    Set<String> found = new TreeSet<>();
    imports.forEach(
        (from, all) ->
            all.stream()
                .filter(to -> reaches(imports, to, from))
                .map(to -> from.substring(ROOT.length()) + " -> " + to.substring(ROOT.length()))
                .forEach(found::add));
    return found;
  }

  private static boolean reaches(Map<String, Set<String>> imports, String from, String to) {
    Set<String> seen = new HashSet<>(Set.of(from));
    Deque<String> open = new ArrayDeque<>(seen);
    while (!open.isEmpty()) {
      String next = open.pop();
      if (next.equals(to)) {
        return true;
      }
      imports.getOrDefault(next, Set.of()).stream().filter(seen::add).forEach(open::push);
    }
    return false;
  }

  private static String name(JavaClass type) {
    return type.getName().substring(ROOT.length());
  }
}
