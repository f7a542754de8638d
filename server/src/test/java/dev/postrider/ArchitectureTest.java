package dev.postrider;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.regex.Matcher.quoteReplacement;
import static java.util.stream.Collectors.toCollection;
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
import java.util.List;
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
          "java.time.InstantSource",
          "java.time.LocalDate",
          "java.time.LocalDateTime",
          "java.time.LocalTime",
          "java.time.OffsetDateTime",
          "java.time.ZonedDateTime");

  /** Imports between packages of delivery that are part of a cycle; the list only gets shorter. */
  private static final Set<String> CYCLES =
      Set.of("delivery -> delivery.policy", "delivery.policy -> delivery");

  /** Of the engine, exported to the server. The list may only become shorter: see ADR 17. */
  private static final Set<String> EXPORTED_TO_THE_SERVER =
      Set.of(
          "audit",
          "crypto",
          "delivery",
          "delivery.command",
          "delivery.http",
          "delivery.http.address",
          "delivery.store",
          "endpoint",
          "engine.services",
          "evaluation",
          "event",
          "eventtype",
          "expression",
          "field",
          "json",
          "jwt",
          "limit",
          "message",
          "net",
          "queue",
          "signature",
          "storage",
          "task",
          "tenant",
          "tenant.key",
          "text",
          "thread",
          "time");

  /**
   * What the server may construct of the engine, besides records and exceptions, each with the
   * reason. The list may only become shorter.
   */
  private static final Map<String, String> CONSTRUCTED_BY_THE_SERVER =
      Map.ofEntries(
          Map.entry("delivery.http.HeaderList", "a value"),
          Map.entry("delivery.http.HttpSender", "fetches the configuration file before the start"),
          Map.entry("delivery.http.address.AddressGuard", "the same, and checks a file offline"),
          Map.entry("delivery.http.address.NameLookup", "the same"),
          Map.entry("delivery.http.address.OwnReceiver", "the same"),
          Map.entry("event.DeferredEvents", "events of a transaction of the configuration file"),
          Map.entry("field.FieldChanges", "a value being built"),
          Map.entry("limit.DividedRate", "a rate limit of the API"),
          Map.entry("limit.RateLimiter", "a rate limit of sources and alerts"),
          Map.entry("storage.BatchQueue", "a queue of the server"),
          Map.entry("tenant.key.LocalTokens", "authenticates the command line to a server"),
          Map.entry("thread.PeriodicLoop", "a thread of the server"),
          Map.entry("time.SystemTime", "the clock of commands"));

  /**
   * Types of libraries that the packages above show: those of JSON, and of the transactions that
   * the server shares with the engine. The list may only become shorter.
   */
  private static final Set<String> LIBRARIES_SHOWN_TO_THE_SERVER =
      Set.of(
          "audit org.jdbi.v3.core.Handle",
          "crypto com.google.crypto.tink.Aead",
          "delivery.http.address org.apache.hc.client5.http.DnsResolver",
          "delivery.http.address org.apache.hc.client5.http.HttpRoute",
          "delivery.store org.jdbi.v3.core.Handle",
          "endpoint org.jdbi.v3.core.Handle",
          "evaluation com.google.re2j.Matcher",
          "evaluation com.networknt.schema.Error",
          "evaluation tools.jackson.databind.JsonNode",
          "event org.jdbi.v3.core.Handle",
          "eventtype tools.jackson.databind.JsonNode",
          "eventtype tools.jackson.databind.node.ObjectNode",
          "field org.jdbi.v3.core.statement.SqlStatement",
          "json tools.jackson.core.JacksonException",
          "json tools.jackson.core.JsonToken",
          "json tools.jackson.core.json.JsonFactory",
          "json tools.jackson.databind.JsonNode",
          "json tools.jackson.databind.json.JsonMapper",
          "message org.jdbi.v3.core.Handle",
          "storage org.jdbi.v3.core.Handle",
          "storage org.jdbi.v3.core.Jdbi",
          "storage org.jdbi.v3.core.mapper.RowMapper",
          "task org.jdbi.v3.core.Handle",
          "task tools.jackson.databind.node.ObjectNode",
          "tenant org.jdbi.v3.core.Handle",
          "tenant tools.jackson.databind.node.ObjectNode");

  private static final Path ARCHITECTURE = Path.of("../ARCHITECTURE.md");

  /** The table of sub-packages: its head, and its rows. */
  private static final Pattern SUB_PACKAGES =
      Pattern.compile("(\\| package \\| imports inside it \\|\n\\|---\\|---\\|\n)(?:\\|.*\n)*");

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
    onlyKnows("schedule");
    onlyKnows("options");
    onlyKnows("id");
    onlyKnows("evaluation", "time");
    onlyKnows("signature", "json", "options");
    onlyKnows("jwt", "json", "text");
    onlyKnows("storage", "disk", "id", "json", "options", "thread", "time");
    onlyKnows("crypto", "disk", "id", "json", "net", "time");
  }

  @Test
  void theTableOfPackagesIsTrue() throws IOException {
    Map<String, Set<String>> documented = new TreeMap<>();
    for (String line : Files.readAllLines(ARCHITECTURE)) {
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
    for (String line : Files.readAllLines(ARCHITECTURE)) {
      Matcher row = Pattern.compile("\\| `(delivery[a-z.]*)` \\| .* \\| (.*) \\|").matcher(line);
      if (row.matches()) { // the last row of delivery itself is that of the second table
        Set<String> imports = new TreeSet<>();
        names(row.group(2).split(";")[0])
            .forEach(name -> imports.add(name.equals("delivery") ? name : "delivery." + name));
        documented.put(row.group(1), imports);
      }
    }
    assertThat(documented).isEqualTo(importsInside("delivery"));
  }

  @Test
  void theTableOfSubPackagesIsTrue() throws IOException {
    Set<String> roots =
        main.stream()
            .map(ArchitectureTest::topLevel)
            .filter(root -> !root.isEmpty() && !root.equals("delivery"))
            .collect(toCollection(TreeSet::new));
    StringBuilder rows = new StringBuilder();
    for (String root : roots) {
      Map<String, Set<String>> packages = importsInside(root);
      if (packages.size() > 1) {
        packages.forEach((from, imports) -> rows.append(row(root, from, imports)));
      }
    }
    String text = Files.readString(ARCHITECTURE);
    assertThat(text).containsPattern(SUB_PACKAGES);
    String written = SUB_PACKAGES.matcher(text).replaceFirst("$1" + quoteReplacement(rows + ""));
    if (Boolean.getBoolean("postrider.writeDocs")) {
      Files.writeString(ARCHITECTURE, written);
    }
    assertThat(Files.readString(ARCHITECTURE))
        .as("write it again with -Dpostrider.writeDocs=true")
        .isEqualTo(written);
  }

  /** Names inside the package are those after its own. */
  private static String row(String root, String from, Set<String> imports) {
    List<String> names =
        imports.stream()
            .map(to -> to.equals(root) ? to : to.substring(root.length() + 1))
            .map(to -> "`" + to + "`")
            .toList();
    return "| `%s` | %s |\n".formatted(from, names.isEmpty() ? "—" : String.join(", ", names));
  }

  /** For each package of that name or below it: which others of them it imports. */
  private Map<String, Set<String>> importsInside(String root) {
    Map<String, Set<String>> all = new TreeMap<>();
    for (JavaClass type : main) {
      String from = type.getPackageName();
      if (topLevel(type).equals(root)) {
        Set<String> imports =
            all.computeIfAbsent(from.substring(ROOT.length() + 1), _ -> new TreeSet<>());
        type.getDirectDependenciesFromSelf().stream()
            .map(dependency -> dependency.getTargetClass().getBaseComponentType())
            .filter(to -> topLevel(to).equals(root) && !to.getPackageName().equals(from))
            .forEach(to -> imports.add(to.getPackageName().substring(ROOT.length() + 1)));
      }
    }
    return all;
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
    knowsInDelivery("command", "", "http", "store");
    knowsInDelivery("policy", "");
    knowsInDelivery("http", "http.address");
    knowsInDelivery("http.address");
    knowsInDelivery("rowless", "");
    knowsInDelivery("lane");
    knowsInDelivery("shape", "", "http", "http.address");
    knowsInDelivery("store", "", "http", "lane", "policy", "rowless", "shape");
    knowsInDelivery(
        "loop", "", "command", "http", "http.address", "lane", "policy", "shape", "step", "store");
    knowsInDelivery("loop.step", "", "http", "lane", "loop", "policy", "shape", "step", "store");
    knowsInDelivery("step", "", "http", "lane", "store");
    knowsInDelivery("accept", "", "lane", "shape", "store");
    knowsInDelivery("", "http", "lane", "policy");
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
    assertThat(exports("exports ([\\w.]+);"))
        .containsExactlyInAnyOrder(ROOT + ".engine", ROOT + ".id", ROOT + ".options");
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

  /** The engine creates its stores, readers and loops, and offers them as services. */
  @Test
  void theServerConstructsNoPartOfTheEngine() {
    Set<String> constructed =
        main.stream()
            .filter(type -> !isOfEngine(type))
            .flatMap(type -> type.getConstructorCallsFromSelf().stream())
            .map(call -> call.getTargetOwner())
            .filter(type -> isOfEngine(type) && !isValue(type))
            .map(type -> type.getName().substring(ROOT.length() + 1))
            .collect(toSet());
    assertThat(constructed).isEqualTo(CONSTRUCTED_BY_THE_SERVER.keySet());
  }

  private static boolean isValue(JavaClass type) {
    return type.isRecord() || type.isAssignableTo(Throwable.class);
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
    Set<String> api = Set.of(ROOT + ".engine", ROOT + ".id", ROOT + ".options");
    for (JavaClass type : main) {
      if (api.contains(type.getPackageName()) && isVisible(type)) {
        for (String shown : ShownTypes.of(type.reflect())) {
          assertThat(shown)
              .as(type.getName() + " shows " + shown)
              .matches("(java|javax\\.sql)\\..*|dev\\.postrider\\.(engine|id|options)\\.[A-Z].*");
        }
      }
    }
  }

  @Test
  void exportsToTheServerShowNoFurtherLibrary() {
    Set<String> shown = new TreeSet<>();
    for (JavaClass type : main) {
      if (isOfEngine(type)
          && EXPORTED_TO_THE_SERVER.contains(type.getPackageName().substring(ROOT.length() + 1))
          && isVisible(type)) {
        for (String name : ShownTypes.of(type.reflect())) {
          if (!name.startsWith("java.") && !name.startsWith("javax.") && !name.startsWith(ROOT)) {
            shown.add(type.getPackageName().substring(ROOT.length() + 1) + " " + name);
          }
        }
      }
    }
    assertThat(shown).isEqualTo(new TreeSet<>(LIBRARIES_SHOWN_TO_THE_SERVER));
  }

  /** Public, and so are the types around it. */
  private static boolean isVisible(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(ArchitectureTest::isVisible).orElse(true);
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
