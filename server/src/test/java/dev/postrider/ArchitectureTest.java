package dev.postrider;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import dev.postrider.testkit.ModuleStructure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The directions that ARCHITECTURE.md draws, and the two things that only one place may do. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ArchitectureTest {
  private static final String ROOT = "dev.postrider";

  /** What a class is called that holds SQL or reads its rows. */
  private static final String SQL_NAMES = ".*(Store|Rows|Reader|Statements|Accept)";

  /** Classes that see java.sql without being named for it, each with the reason. */
  private static final Map<String, String> SQL_EXCEPTIONS =
      Map.of(
          "AcceptLoop", "decides when a batch is written; passes its link's connection on",
          "Instances", "the store of the instances table, named for what it holds");

  private static final Set<String> CLOCK_CLASSES =
      Set.of(
          "java.time.Clock",
          "java.time.Instant",
          "java.time.LocalDate",
          "java.time.LocalDateTime",
          "java.time.LocalTime",
          "java.time.OffsetDateTime",
          "java.time.ZonedDateTime");

  /** Imports between packages of delivery that are part of a cycle; the list only gets shorter. */
  private static final Set<String> CYCLES =
      Set.of(
          "delivery -> delivery.policy",
          "delivery.policy -> delivery",
          "delivery.shape -> delivery.store",
          "delivery.store -> delivery.shape");

  /** Of the engine, exported to the server. The list may only become shorter: see ADR 17. */
  private static final Set<String> EXPORTED_TO_THE_SERVER =
      Set.of(
          "audit",
          "crypto",
          "delivery",
          "delivery.accept",
          "delivery.http",
          "delivery.http.address",
          "delivery.lane",
          "delivery.loop",
          "delivery.shape",
          "delivery.store",
          "endpoint",
          "engine.services",
          "evaluation",
          "event",
          "eventtype",
          "expression",
          "field",
          "id",
          "json",
          "jwt",
          "limit",
          "maintenance",
          "message",
          "net",
          "queue",
          "signature",
          "statistics",
          "storage",
          "task",
          "tenant",
          "tenant.key",
          "text",
          "thread",
          "time");

  private static final Path ENGINE = Path.of("../engine/src/main/java");

  private JavaClasses main;

  @BeforeAll
  void read() {
    main = MainClasses.read();
    assertThat(main).hasSizeGreaterThan(100);
  }

  @Test
  void deliveryInboundAndWorkflowNeverMeet() {
    apart("delivery", "inbound", "workflow");
    apart("inbound", "delivery", "workflow");
    apart("workflow", "delivery", "inbound");
  }

  private void apart(String one, String second, String third) {
    noClasses()
        .that()
        .resideInAPackage(in(one))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(in(second), in(third))
        .because("they meet in message, or through interfaces wired in app")
        .allowEmptyShould(true) // a capability may not exist yet
        .check(main);
  }

  @Test
  void periodicWorkRunsInPeriodicLoops() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ScheduledExecutorService.class)
        .because("a PeriodicLoop logs what fails and goes on; a scheduler drops the task silently")
        .check(main);
  }

  @Test
  void leavesAndStorageImportNoCapability() {
    onlyKnows("time");
    onlyKnows("disk");
    onlyKnows("text");
    onlyKnows("json", "text");
    onlyKnows("net");
    onlyKnows("thread", "time");
    onlyKnows("config", "net", "options", "text");
    onlyKnows("limit");
    onlyKnows("options");
    onlyKnows("id", "time");
    onlyKnows("evaluation", "time");
    onlyKnows("signature", "json", "options");
    onlyKnows("jwt", "json", "text");
    onlyKnows("storage", "disk", "id", "json", "options", "thread", "time");
    onlyKnows("crypto", "disk", "id", "json", "net", "time");
  }

  @Test
  void theTableOfPackagesIsTrue() throws IOException {
    Map<String, Set<String>> documented = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of("../ARCHITECTURE.md"))) {
      Matcher row = Pattern.compile("\\| `([a-z]+)` \\| .* \\| (.*) \\|").matcher(line);
      if (row.matches()) {
        documented.putIfAbsent(row.group(1), names(row.group(2)));
      }
    }
    Map<String, Set<String>> actual = new TreeMap<>();
    for (JavaClass type : main) {
      String from = topLevel(type);
      if (!from.isEmpty()) {
        Set<String> imports = actual.computeIfAbsent(from, _ -> new TreeSet<>());
        type.getDirectDependenciesFromSelf().stream()
            .map(dependency -> topLevel(dependency.getTargetClass().getBaseComponentType()))
            .filter(to -> !to.isEmpty() && !to.equals(from))
            .forEach(imports::add);
      }
    }
    documented.keySet().retainAll(actual.keySet());
    assertThat(documented).isEqualTo(actual);
  }

  @Test
  void theTableOfDeliveryIsTrue() throws IOException {
    Map<String, Set<String>> documented = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of("../ARCHITECTURE.md"))) {
      Matcher row = Pattern.compile("\\| `(delivery[a-z.]*)` \\| .* \\| (.*) \\|").matcher(line);
      if (row.matches()) { // the last row of delivery itself is that of the second table
        Set<String> imports = new TreeSet<>();
        names(row.group(2).split(";")[0])
            .forEach(name -> imports.add(name.equals("delivery") ? name : "delivery." + name));
        documented.put(row.group(1), imports);
      }
    }
    Map<String, Set<String>> actual = new TreeMap<>();
    for (JavaClass type : main) {
      String from = type.getPackageName();
      if (isInDelivery(from)) {
        Set<String> imports =
            actual.computeIfAbsent(from.substring(ROOT.length() + 1), _ -> new TreeSet<>());
        type.getDirectDependenciesFromSelf().stream()
            .map(dependency -> dependency.getTargetClass().getBaseComponentType().getPackageName())
            .filter(to -> isInDelivery(to) && !to.equals(from))
            .forEach(to -> imports.add(to.substring(ROOT.length() + 1)));
      }
    }
    assertThat(documented).isEqualTo(actual);
  }

  private static boolean isInDelivery(String name) {
    return name.equals(inDelivery("")) || name.startsWith(inDelivery("") + ".");
  }

  private static Set<String> names(String cell) {
    Set<String> names = new TreeSet<>();
    Matcher name = Pattern.compile("`([a-z.]+)`").matcher(cell);
    while (name.find()) {
      names.add(name.group(1));
    }
    return names;
  }

  /** The package below ours; empty for what is not ours, and for {@code Main}. */
  private static String topLevel(JavaClass type) {
    String name = type.getPackageName();
    return name.startsWith(ROOT + ".") ? name.substring(ROOT.length() + 1).split("\\.")[0] : "";
  }

  /** What may be imported inside delivery. Accepting and the loops do not import each other. */
  @Test
  void deliveryHasLayers() {
    knowsInDelivery("policy", "");
    knowsInDelivery("http", "http.address");
    knowsInDelivery("http.address");
    knowsInDelivery("rowless", "");
    knowsInDelivery("lane", "", "policy");
    knowsInDelivery("shape", "", "http", "http.address", "policy", "store");
    knowsInDelivery("store", "", "http", "policy", "rowless", "shape");
    knowsInDelivery("loop", "", "http", "http.address", "lane", "policy", "shape", "store");
    knowsInDelivery("accept", "", "lane", "shape", "store");
    knowsInDelivery("", "http", "policy");
    noClasses()
        .that()
        .resideInAPackage(in("message"))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(in("delivery"))
        .because("message is what callers see; delivery.accept implements it")
        .check(main);
  }

  /** The empty name is the package delivery itself. */
  private void knowsInDelivery(String part, String... allowed) {
    Set<String> known = new HashSet<>();
    known.add(inDelivery(part));
    for (String one : allowed) {
      known.add(inDelivery(one));
    }
    noClasses()
        .that()
        .resideInAPackage(inDelivery(part))
        .should()
        .dependOnClassesThat(
            describe(
                "another part of delivery",
                type ->
                    type.getPackageName().startsWith(inDelivery(""))
                        && !known.contains(type.getPackageName())))
        .check(main);
  }

  private static String inDelivery(String part) {
    return ROOT + ".delivery" + (part.isEmpty() ? "" : "." + part);
  }

  /** Never a connection held during HTTP: what makes a try cannot even name the database. */
  @Test
  void outboundHttpImportsOnlyLeaves() {
    onlyKnows("delivery.http", "limit", "net", "options", "thread", "time");
  }

  private void onlyKnows(String part, String... allowed) {
    String[] ours = new String[allowed.length + 1];
    ours[0] = in(part);
    for (int i = 0; i < allowed.length; i++) {
      ours[i + 1] = in(allowed[i]);
    }
    DescribedPredicate<JavaClass> other =
        describe("another part of Postrider", type -> type.getPackageName().startsWith(ROOT));
    for (String known : ours) {
      other = other.and(DescribedPredicate.not(resideInAPackage(known)));
    }
    noClasses().that().resideInAPackage(in(part)).should().dependOnClassesThat(other).check(main);
  }

  @Test
  void onlyMainSeesTheCompositionRoot() {
    noClasses()
        .that()
        .resideOutsideOfPackage(in("app"))
        .and()
        .doNotHaveFullyQualifiedName(ROOT + ".Main")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(in("app"))
        .check(main);
  }

  @Test
  void onlyAppImportsApiAndMaintenance() {
    noClasses()
        .that()
        .resideOutsideOfPackages(in("app"), in("api"))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(in("api"))
        .check(main);
    noClasses()
        .that()
        .resideOutsideOfPackages(in("app"), in("engine"), in("maintenance"))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(in("maintenance"))
        .check(main);
  }

  /** The server runs on the class path, where the module's exports bind nobody. */
  @Test
  void theServerUsesOnlyWhatTheEngineExports() throws IOException {
    Set<String> exported = exports("exports ([\\w.]+)");
    noClasses()
        .that(describe("are the server's", type -> !isOfEngine(type)))
        .should()
        .dependOnClassesThat(
            describe(
                "the engine keeps to itself",
                type -> isOfEngine(type) && !exported.contains(type.getPackageName())))
        .check(main);
  }

  @Test
  void theEngineExportsNoFurtherPackage() throws IOException {
    assertThat(exports("exports ([\\w.]+);")).containsExactlyInAnyOrder(ROOT + ".engine", ROOT + ".options");
    assertThat(exports("exports ([\\w.]+) to\\s+dev\\.postrider\\.server;"))
        .isEqualTo(EXPORTED_TO_THE_SERVER.stream().map(name -> ROOT + "." + name).collect(toSet()));
  }

  @Test
  void theServerUsesEachExportedPackage() {
    Set<String> used =
        main.stream()
            .filter(type -> !isOfEngine(type))
            .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
            .map(dependency -> dependency.getTargetClass().getPackageName())
            .collect(toSet());
    assertThat(used)
        .containsAll(EXPORTED_TO_THE_SERVER.stream().map(name -> ROOT + "." + name).toList());
  }

  private static Set<String> exports(String pattern) throws IOException {
    Set<String> exported = new HashSet<>();
    Matcher exports =
        Pattern.compile(pattern).matcher(Files.readString(ENGINE.resolve("module-info.java")));
    while (exports.find()) {
      exported.add(exports.group(1));
    }
    return exported;
  }

  /** The library has no environment variables: OptionNames says how a message names an option. */
  @Test
  void theEngineNamesNoSetting() throws IOException {
    try (Stream<Path> files = Files.walk(ENGINE)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file)).as(file.toString()).doesNotContain("POSTRIDER_");
      }
    }
  }

  private static boolean isOfEngine(JavaClass type) {
    return type.getPackageName().startsWith(ROOT + ".")
        && Files.isDirectory(ENGINE.resolve(type.getPackageName().replace('.', '/')));
  }

  /** A user of the library sees types of Postrider and of the JDK, not of its libraries. */
  @Test
  void theEnginesApiShowsNoLibrary() {
    for (JavaClass type : main) {
      if (type.getPackageName().equals(ROOT + ".engine")
          || type.getPackageName().equals(ROOT + ".options")) {
        type.getMethods().stream()
            .filter(method -> method.getModifiers().contains(JavaModifier.PUBLIC))
            .flatMap(
                method ->
                    Stream.concat(
                        Stream.of(method.getRawReturnType()),
                        method.getRawParameterTypes().stream()))
            .map(JavaClass::getBaseComponentType)
            .forEach(
                shown ->
                    assertThat(shown.getPackageName())
                        .as(type.getName() + " shows " + shown.getName())
                        .matches("java.*|dev\\.postrider\\.(engine|options)|"));
      }
    }
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(main);
    assertThat(new ModuleStructure(main).cycles()).isEqualTo(CYCLES);
  }

  @Test
  void onlyStoresSeeJavaSql() {
    noClasses()
        .that()
        .resideOutsideOfPackage(in("storage"))
        .and(describe("are not a store by name", type -> !outermost(type).matches(SQL_NAMES)))
        .and(describe("are not an exception", type -> !SQL_EXCEPTIONS.containsKey(outermost(type))))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("java.sql")
        .check(main);
  }

  @Test
  void noExceptionIsStale() {
    assertThat(main.stream().filter(dependOnJavaSql()).map(ArchitectureTest::outermost))
        .containsAll(SQL_EXCEPTIONS.keySet());
  }

  private static DescribedPredicate<JavaClass> dependOnJavaSql() {
    return describe(
        "depend on java.sql",
        type ->
            type.getDirectDependenciesFromSelf().stream()
                .anyMatch(d -> d.getTargetClass().getPackageName().equals("java.sql")));
  }

  private static String outermost(JavaClass type) {
    JavaClass outer = type;
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    return outer.getSimpleName();
  }

  @Test
  void onlyTheTimePackageReadsTheClockOrSleeps() {
    noClasses()
        .that()
        .resideOutsideOfPackage(in("time"))
        .should()
        .callCodeUnitWhere(describe("reads the machine's time or sleeps", ArchitectureTest::ticks))
        .check(main);
  }

  private static boolean ticks(JavaCall<?> call) {
    CodeUnitCallTarget target = call.getTarget();
    String owner = target.getOwner().getName();
    String name = target.getName();
    return switch (owner) {
      case "java.lang.System" -> name.equals("currentTimeMillis") || name.equals("nanoTime");
      case "java.lang.Thread", "java.util.concurrent.TimeUnit" -> name.equals("sleep");
      case "java.util.Date" -> name.equals("<init>") && target.getRawParameterTypes().isEmpty();
      default -> CLOCK_CLASSES.contains(owner) && (name.equals("now") || name.startsWith("system"));
    };
  }

  private static String in(String part) {
    return ROOT + "." + part + "..";
  }
}
