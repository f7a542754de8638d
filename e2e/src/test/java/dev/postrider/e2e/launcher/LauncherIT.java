package dev.postrider.e2e.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.Signals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A copy of the script runs in a made-up project with made-up JDKs, which print how they were
 * called. The folders of the real machine are replaced by made-up ones in the copy.
 */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the launcher is a POSIX shell script")
@Execution(ExecutionMode.CONCURRENT)
class LauncherIT {
  private static final Instant OLD = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant NEW = Instant.parse("2026-01-02T00:00:00Z");
  private static final Instant NEWEST = Instant.parse("2026-01-03T00:00:00Z");

  @TempDir Path temp;
  private Path project;
  private Path home;
  private Path bin;
  private Path script;
  private final Map<String, String> environment = new TreeMap<>();

  @BeforeEach
  void makeProject() throws IOException {
    project = Files.createDirectories(temp.resolve("a project"));
    home = Files.createDirectories(temp.resolve("my home"));
    bin = Files.createDirectories(temp.resolve("bin"));
    script = project.resolve("postrider");
    String text =
        Files.readString(repository().resolve("postrider"))
            .replace("/usr/lib/jvm/", "'" + temp + "'/jvm/")
            .replace("/opt/", "'" + temp + "'/opt/")
            .replace(" /Library/", " '" + temp + "'/Library/");
    executable(script, text);
    for (String source : List.of("pom.xml", "server/pom.xml", "server/src/main/A.java")) {
      file(source, OLD);
    }
    agePath(project.resolve("server/src/main"), OLD);
    file("server/target/postrider.jar", NEW);
    // What a shell needs, and no java and no mvn.
    for (String tool :
        List.of(
            "sh",
            "dirname",
            "readlink",
            "sed",
            "head",
            "find",
            "cat",
            "touch",
            "mkdir",
            "rmdir",
            "rm",
            "mv",
            "ln",
            "sleep",
            "sort",
            "cksum",
            "nice")) {
      Files.createSymbolicLink(bin.resolve(tool), onPath(tool));
    }
    environment.put("PATH", bin.toString());
    environment.put("HOME", home.toString());
  }

  @Test
  void javaHomeComesFirst() throws Exception {
    environment.put("JAVA_HOME", jdk("chosen", "25.0.1").toString());
    jdk("jvm/other", "26");
    assertThat(run("version").lines())
        .first()
        .asString()
        .startsWith("chosen: ")
        .endsWith(" -jar " + project.toRealPath() + "/server/target/postrider.jar version");
  }

  @Test
  void anOldJavaHomeIsPassedOver() throws Exception {
    environment.put("JAVA_HOME", jdk("old", "17.0.2").toString());
    jdk("jvm/a-21", "21");
    jdk("jvm/b-25", "25");
    assertThat(run("version")).startsWith("jvm/b-25: ");
  }

  @Test
  void javaOnThePathIsFollowedToItsHome() throws Exception {
    Files.createSymbolicLink(bin.resolve("java"), jdk("linked", "25").resolve("bin/java"));
    jdk("jvm/other", "25");
    assertThat(run("version")).startsWith("linked: ");
  }

  @Test
  void theShimOfAVersionManagerIsAskedForItsHome() throws Exception {
    Path real = jdk("managed", "25");
    executable(
        bin.resolve("java"),
        """
        #!/bin/sh
        echo 'openjdk version "25.0.1" 2025-10-21' >&2
        echo '    java.home = %s' >&2
        """
            .formatted(real));
    assertThat(run("version")).startsWith("managed: ");
  }

  @Test
  void anOldJavaOnThePathIsPassedOver() throws Exception {
    Path old = jdk("linked", "17");
    Files.createSymbolicLink(bin.resolve("java"), old.resolve("bin/java"));
    executable(old.resolve("bin/java"), "#!/bin/sh\n: >'" + old + "/was-asked'\n");
    jdk("opt/jdk", "25");
    assertThat(run("version")).startsWith("opt/jdk: ");
    assertThat(old.resolve("was-asked")).as("its release file says enough").doesNotExist();
  }

  @Test
  void theUsualFoldersAreSearched() throws Exception {
    for (String folder :
        List.of(
            "jvm/x",
            "opt/x",
            "opt/java/x",
            "Library/Java/JavaVirtualMachines/x/Contents/Home",
            "my home/.sdkman/candidates/java/25-tem",
            "my home/.jdks/temurin-25",
            "my home/Library/Java/JavaVirtualMachines/x/Contents/Home")) {
      Path jdk = jdk(folder, "25");
      assertThat(run("version")).startsWith(folder + ": ");
      Files.delete(jdk.resolve("bin/java"));
    }
  }

  @Test
  void mavenToolchainsAreRead() throws Exception {
    Path old = jdk("t 17", "17");
    Path recent = jdk("t 25", "25");
    Files.createDirectories(home.resolve(".m2"));
    Files.writeString(
        home.resolve(".m2/toolchains.xml"),
        """
        <toolchains>
          <configuration><jdkHome>%s</jdkHome></configuration>
          <configuration>
            <jdkHome> %s </jdkHome>
          </configuration>
        </toolchains>
        """
            .formatted(old, recent));
    assertThat(run("version")).startsWith("t 25: ");
  }

  @Test
  void aJdkWithoutAReleaseFileIsAsked() throws Exception {
    Path jdk = jdk("jvm/bare", "25");
    Files.delete(jdk.resolve("release"));
    assertThat(run("version")).startsWith("jvm/bare: ");
    Path older = jdk("jvm/a-older", "24");
    Files.delete(older.resolve("release"));
    assertThat(run("version")).startsWith("jvm/bare: ");
  }

  @Test
  void withoutAJdkTheMessageSaysWhatToDo() throws Exception {
    jdk("jvm/old", "24.0.1");
    assertThat(fail("version"))
        .contains("needs a JDK 25 or newer", "Fix: install one", "set JAVA_HOME");
    environment.remove("HOME");
    assertThat(fail("version")).contains("needs a JDK 25 or newer");
  }

  @Test
  void worksWithoutAHome() throws Exception {
    jdk("jvm/x", "25");
    environment.put("HOME", "");
    assertThat(run("version")).startsWith("jvm/x: ");
    environment.remove("HOME");
    assertThat(run("version")).startsWith("jvm/x: ");
  }

  @Test
  void worksThroughChainsOfLinksAndKeepsTheCallersFolder() throws Exception {
    jdk("jvm/x", "25");
    Path links = Files.createDirectories(temp.resolve("links"));
    Files.createSymbolicLink(links.resolve("second"), Path.of("../a project/postrider"));
    Path first = Files.createSymbolicLink(links.resolve("first"), Path.of("second"));
    script = first;
    assertThat(run("version"))
        .contains("-jar " + project.toRealPath() + "/server/target/postrider.jar version")
        .contains("in " + temp.toRealPath());
  }

  @Test
  void argumentsArePassedOnAsTheyAre() throws Exception {
    jdk("jvm/x", "25");
    environment.put("POSTRIDER_JAVA_OPTS", "-Xmx99m -Dx=y");
    assertThat(run("version", "two words", "", "*"))
        .contains("--enable-native-access=ALL-UNNAMED", "-Xmx99m -Dx=y -jar ")
        .contains("arguments: [version] [two words] [] [*]");
  }

  @Test
  void aMissingOrOldJarIsBuiltFirst() throws Exception {
    jdk("jvm/x", "25");
    maven(0);
    assertThat(run("version")).doesNotContain("mvn");
    Files.delete(project.resolve("server/target/postrider.jar"));
    assertThat(run("version")).contains("postrider: building", "mvn -q -B -pl server -am");
    assertThat(run("version")).doesNotContain("mvn");
    for (String source : List.of("pom.xml", "server/pom.xml", "server/src/main/A.java")) {
      Files.writeString(project.resolve(source), "changed");
      assertThat(run("version")).contains("mvn -q -B", "with " + temp + "/jvm/x in ");
      assertThat(run("version")).doesNotContain("mvn");
    }
  }

  /** A copy without times, or a fresh checkout next to a target folder that was copied. */
  @Test
  void newTimesAloneBuildNothing() throws Exception {
    jdk("jvm/x", "25");
    maven(0);
    agePath(project.resolve("pom.xml"), NEWEST);
    assertThat(run("version")).as("nobody knows what the jar was made of").contains("mvn");
    project = Files.move(project, temp.resolve("elsewhere"));
    script = project.resolve("postrider");
    for (String file :
        List.of("server/target/postrider.jar", "server/target/postrider.jar.sources")) {
      agePath(project.resolve(file), OLD);
    }
    agePath(project.resolve("server/src/main/A.java"), NEWEST);
    assertThat(run("version")).doesNotContain("mvn");
    file("server/src/main/B.java", NEWEST);
    agePath(project.resolve("server/target/postrider.jar.sources"), OLD);
    assertThat(run("version")).as("a new source").contains("mvn");
    Files.writeString(project.resolve("server/target/postrider.jar"), "another's");
    agePath(project.resolve("server/target/postrider.jar"), OLD);
    agePath(project.resolve("server/target/postrider.jar.sources"), OLD);
    assertThat(run("version")).as("not the jar of these sources").contains("mvn");
  }

  @Test
  void aCopyOfATreeThatMavenBuiltIsNotBuiltAgain() throws Exception {
    jdk("jvm/x", "25");
    maven(0);
    assertThat(run("version")).as("built by Maven alone").doesNotContain("mvn");
    project = Files.move(project, temp.resolve("elsewhere"));
    script = project.resolve("postrider");
    for (String file :
        List.of("server/target/postrider.jar", "server/target/postrider.jar.sources")) {
      agePath(project.resolve(file), OLD);
    }
    agePath(project.resolve("server/src/main/A.java"), NEWEST);
    assertThat(run("version")).doesNotContain("mvn");
  }

  @Test
  void helpNeedsAJarButNotACurrentOne() throws Exception {
    jdk("jvm/x", "25");
    maven(0);
    agePath(project.resolve("pom.xml"), NEWEST);
    for (String line : List.of("help", "--help", "-h", "--version", "send --help")) {
      assertThat(run(line.split(" "))).as(line).doesNotContain("mvn").contains("jvm/x: ");
    }
    Files.delete(project.resolve("server/target/postrider.jar"));
    assertThat(run("--help")).contains("mvn");
  }

  /** As two starts in a fresh clone. */
  @Test
  void onlyOneBuildsAtATime() throws Exception {
    jdk("jvm/x", "25");
    Files.delete(project.resolve("server/target/postrider.jar"));
    executable(
        bin.resolve("mvn"),
        """
        #!/bin/sh
        echo mvn starts >>builds
        until [ -f go ]; do sleep 0.05; done
        : >server/target/postrider.jar
        echo mvn ends >>builds
        """);
    try (ExecutorService starts = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> outputs =
          List.of(starts.submit(() -> run("version")), starts.submit(() -> run("version")));
      Path builds = project.resolve("builds");
      Signals.poll("one builds", () -> Files.exists(builds));
      Files.writeString(project.resolve("go"), "");
      for (Future<String> output : outputs) {
        assertThat(output.get()).contains("jvm/x: ");
      }
      assertThat(Files.readAllLines(builds)).containsExactly("mvn starts", "mvn ends");
    }
    assertThat(project.resolve("server/target/.building")).doesNotExist();
  }

  @Test
  void theLockOfADeadBuildIsPassedOver() throws Exception {
    jdk("jvm/x", "25");
    maven(0);
    Files.delete(project.resolve("server/target/postrider.jar"));
    Process dead = new ProcessBuilder("true").start();
    dead.waitFor();
    Path lock = project.resolve("server/target/.building");
    Files.createSymbolicLink(lock, Path.of(String.valueOf(dead.pid())));
    assertThat(run("version")).contains("mvn", "jvm/x: ");
    assertThat(Files.isSymbolicLink(lock)).isFalse();
    maven(1);
    Files.delete(project.resolve("server/target/postrider.jar"));
    assertThat(fail("version")).contains("the build failed");
    assertThat(Files.isSymbolicLink(lock)).as("after a failure").isFalse();
  }

  @Test
  void buildingNeedsACompiler() throws Exception {
    Files.delete(jdk("jvm/a-runtime-only", "25").resolve("bin/javac"));
    assertThat(run("version")).startsWith("jvm/a-runtime-only: ");
    jdk("jvm/b-complete", "25");
    maven(0);
    Files.delete(project.resolve("server/target/postrider.jar"));
    assertThat(run("version")).contains("jvm/b-complete: ");
  }

  @Test
  void aFailedBuildStartsNothing() throws Exception {
    jdk("jvm/x", "25");
    Files.delete(project.resolve("server/target/postrider.jar"));
    assertThat(fail("version")).contains("building needs Maven", "apt install maven");
    maven(1);
    assertThat(fail("version")).contains("the build failed").doesNotContain("jvm/x: ");
  }

  @Test
  void aReleaseWithoutSourcesIsNeverBuilt() throws Exception {
    jdk("jvm/x", "25");
    Files.delete(project.resolve("pom.xml"));
    assertThat(run("version")).startsWith("jvm/x: ");
    Files.delete(project.resolve("server/target/postrider.jar"));
    assertThat(fail("version")).contains("no sources to build it from");
  }

  @Test
  void benchAndCrashTestRunTheirOwnJar() throws Exception {
    jdk("jvm/x", "25");
    maven(0);
    Files.createDirectories(project.resolve("bench/target"));
    assertThat(run("bench", "--quick"))
        .contains("mvn -q -B -pl bench -am", "/bench/target/postrider-bench.jar bench --quick");
    assertThat(run("crash-test"))
        .doesNotContain("mvn")
        .contains("/bench/target/postrider-bench.jar crash-test");
  }

  @Test
  void serveTrainsAnAotCacheNextToTheJarAndTheNextStartUsesIt() throws Exception {
    jdk("jvm/x", "25");
    Path cache = project.resolve("server/target/postrider.aot");
    assertThat(run("version")).doesNotContain("AOTCache");
    assertThat(cache).doesNotExist();

    assertThat(run("serve")).doesNotContain("AOTCache");
    awaitTraining();
    assertThat(Files.readString(cache)).contains("-jar", "postrider.jar warm-up");
    assertThat(run("serve")).contains("-XX:AOTCache=" + cache.toRealPath());
    assertThat(run("version")).contains("-XX:AOTCache=" + cache.toRealPath());

    agePath(cache, OLD);
    assertThat(run("version")).as("older than the jar").doesNotContain("AOTCache");
    agePath(cache, NEWEST);
    assertThat(run("version")).contains("AOTCache");
    Files.writeString(temp.resolve("jvm/x/release"), "JAVA_VERSION=\"25.0.9\"\n");
    assertThat(run("version")).as("made by another JDK").doesNotContain("AOTCache");
  }

  @Test
  void aTrainingRunHasTheFlagsOfTheServer() throws Exception {
    jdk("jvm/x", "25");
    Path cache = project.resolve("server/target/postrider.aot");
    run("serve");
    awaitTraining();
    environment.put("POSTRIDER_JAVA_OPTS", "-XX:+UseSerialGC");
    assertThat(run("serve")).as("made with other flags").doesNotContain("AOTCache");
    awaitTraining("UseSerialGC");
    assertThat(Files.readString(cache)).contains("-XX:+UseSerialGC", "postrider.jar warm-up");
    assertThat(run("serve")).contains("-XX:AOTCache=" + cache.toRealPath());
  }

  private void awaitTraining() throws Exception {
    awaitTraining("warm-up");
  }

  /** The stand-in of a JDK makes its cache at once; its last act is to remove the lock. */
  private void awaitTraining(String flag) throws Exception {
    Path target = project.resolve("server/target");
    Process wait =
        new ProcessBuilder(
                "sh",
                "-c",
                "i=0; while ! grep -q -e \"$0\" postrider.aot 2>/dev/null || [ -d"
                    + " postrider.aot.lock ]; do i=$((i+1)); [ $i -lt 600 ] || exit 1; sleep 0.05;"
                    + " done",
                flag)
            .directory(target.toFile())
            .start();
    assertThat(wait.waitFor()).as("training finished").isZero();
  }

  private String run(String... arguments) throws Exception {
    Outcome outcome = execute(arguments);
    assertThat(outcome.code()).as(outcome.output()).isZero();
    return outcome.output();
  }

  private String fail(String... arguments) throws Exception {
    Outcome outcome = execute(arguments);
    assertThat(outcome.code()).as(outcome.output()).isEqualTo(1);
    return outcome.output();
  }

  private record Outcome(int code, String output) {}

  private Outcome execute(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(temp.toFile()).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return new Outcome(process.exitValue(), output);
  }

  /** Prints its name and arguments; asked for an AOT cache, writes them there. */
  private Path jdk(String name, String version) throws IOException {
    Path jdk = Files.createDirectories(temp.resolve(name));
    Files.createDirectories(jdk.resolve("bin"));
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    executable(
        jdk.resolve("bin/java"),
        """
        #!/bin/sh
        if [ "$1" = -version ]; then echo 'openjdk version "%s"' >&2; exit; fi
        for word in "$@"; do
          case $word in -XX:AOTCacheOutput=*) echo "$*" >"${word#*=}" ;; esac
        done
        echo "%s: $*"
        shown=
        for word in "$@"; do
          case $word in *.jar) shown= ;; *) shown="$shown [$word]" ;; esac
        done
        echo "in $(pwd) arguments:$shown"
        """
            .formatted(version, name));
    executable(jdk.resolve("bin/javac"), "#!/bin/sh\n");
    return jdk;
  }

  private void maven(int exitCode) throws IOException {
    executable(
        bin.resolve("mvn"),
        """
        #!/bin/sh
        echo "mvn $* with $JAVA_HOME in $(pwd)"
        [ %1$d = 0 ] && : >>server/target/postrider.jar
        [ -d bench ] && : >>bench/target/postrider-bench.jar
        exit %1$d
        """
            .formatted(exitCode));
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void file(String name, Instant modified) throws IOException {
    Path file = project.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "x");
    agePath(file, modified);
  }

  private static void agePath(Path path, Instant modified) throws IOException {
    Files.setLastModifiedTime(path, FileTime.from(modified));
  }

  private static Path onPath(String tool) {
    for (String folder : System.getenv("PATH").split(":", -1)) {
      Path candidate = Path.of(folder, tool);
      if (Files.isExecutable(candidate)) {
        return candidate;
      }
    }
    throw new IllegalStateException(tool + " is not on the PATH");
  }

  private static Path repository() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("server")) ? here : here.resolveSibling(".").normalize();
  }
}
