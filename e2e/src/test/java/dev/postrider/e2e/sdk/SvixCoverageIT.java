package dev.postrider.e2e.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import com.svix.Svix;
import com.svix.exceptions.ApiException;
import dev.postrider.testkit.Databases;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Calls every method of the official Java client. What is in {@link SvixMethods} is called with
 * real arguments and must work; everything else must be answered by 501, or is refused by the
 * client itself before it is sent. The table in docs/reference/svix-compatibility.md is what this
 * test finds: run it with {@code -Ddocs.write=true} to write it.
 */
@ExtendWith(SharedServers.class)
@Execution(ExecutionMode.CONCURRENT)
class SvixCoverageIT {
  static final String BEGIN = "<!-- methods of the Java client: written by SvixCoverageIT -->\n";
  static final String END = "<!-- end -->\n";

  private static final String WORKS = "yes";
  private static final String ABSENT = "501";
  private static final String UNSENT =
      "the client itself refuses to send it (a POST without a body)";

  @ParameterizedTest
  @EnumSource
  void everyMethodWorksOrSaysThatItIsNotThere(Databases.Kind kind, Servers servers)
      throws Exception {
    Map<String, String> table = new TreeMap<>();
    try (SdkEnvironment environment = servers.on(kind).environment()) {
      environment.fill();
      Svix svix = environment.svix();
      Map<String, SvixMethods.Use> uses = SvixMethods.all(svix, environment);
      for (Map.Entry<String, SvixMethods.Use> use : uses.entrySet()) {
        try {
          use.getValue().run();
        } catch (ApiException e) {
          throw new AssertionError(use.getKey() + ": " + e.getCode() + " " + e.getMessage(), e);
        }
        table.put(use.getKey(), WORKS);
      }
      for (Map.Entry<String, Object> part : parts(svix).entrySet()) {
        for (Method method : methods(part.getValue())) {
          String name = part.getKey() + "." + method.getName();
          if (!uses.containsKey(name)) {
            table.put(name, outcome(part.getValue(), method));
          }
        }
      }
    }
    assertThat(table.values()).isSubsetOf(WORKS, ABSENT, UNSENT);
    assertThat(table).hasSizeGreaterThan(100);
    compare(BEGIN, written(BEGIN, table));
  }

  /** The parts of the client, with the parts of those. */
  private static Map<String, Object> parts(Object client) throws ReflectiveOperationException {
    Map<String, Object> parts = new LinkedHashMap<>();
    for (Method method : client.getClass().getMethods()) {
      Class<?> type = method.getReturnType();
      if (method.getName().startsWith("get")
          && method.getParameterCount() == 0
          && type.getPackageName().equals("com.svix.api")) {
        Object part = method.invoke(client);
        parts.put(type.getSimpleName(), part);
        parts.putAll(parts(part));
      }
    }
    return parts;
  }

  /** One of each name: that with the fewest parameters. */
  private static List<Method> methods(Object part) {
    Map<String, Method> byName = new TreeMap<>();
    Arrays.stream(part.getClass().getDeclaredMethods())
        .filter(m -> Modifier.isPublic(m.getModifiers()) && !Modifier.isStatic(m.getModifiers()))
        .filter(m -> !m.getReturnType().getPackageName().equals("com.svix.api"))
        .sorted(Comparator.comparing(Method::getParameterCount).reversed())
        .forEach(m -> byName.put(m.getName(), m));
    return new ArrayList<>(byName.values());
  }

  private static String outcome(Object part, Method method) throws ReflectiveOperationException {
    List<@Nullable Object> arguments = new ArrayList<>();
    for (Class<?> type : method.getParameterTypes()) {
      arguments.add(type == String.class ? "acme" : model(type));
    }
    try {
      method.invoke(part, arguments.toArray());
      return method + " works and is not in SvixMethods";
    } catch (InvocationTargetException e) {
      return switch (e.getCause()) {
        case ApiException api when api.getCode() == 501 -> ABSENT;
        case IllegalArgumentException unsent
            when String.valueOf(unsent.getMessage()).contains("must have a request body") ->
            UNSENT;
        case ApiException api -> method + " got " + api.getCode();
        case null, default -> method + " failed: " + e.getCause();
      };
    }
  }

  /** An empty body; one of a kind that it must have is given the first kind that can be made. */
  private static Object model(Class<?> type) throws ReflectiveOperationException {
    Object model = type.getConstructor().newInstance();
    for (Method method : type.getMethods()) {
      if (method.getName().equals("setConfig")) {
        for (Class<?> config : method.getParameterTypes()[0].getDeclaredClasses()) {
          if (method.getParameterTypes()[0].isAssignableFrom(config)
              && Arrays.stream(config.getConstructors())
                  .anyMatch(c -> c.getParameterCount() == 0)) {
            method.invoke(model, config.getConstructor().newInstance());
            break;
          }
        }
      }
    }
    return model;
  }

  static String written(String begin, Map<String, String> table) {
    StringBuilder text = new StringBuilder(begin + "\n| Method | Works |\n|---|---|\n");
    table.forEach((name, works) -> text.append("| `" + name + "` | " + works + " |\n"));
    return text + "\n" + END;
  }

  static void compare(String begin, String wanted) throws IOException {
    Path file =
        Path.of(System.getProperty("basedir", "."), "../docs/reference/svix-compatibility.md");
    String document = Files.readString(file);
    int from = document.indexOf(begin);
    int to = document.indexOf(END, Math.max(0, from)) + END.length();
    if (Boolean.getBoolean("docs.write") && from >= 0) {
      Files.writeString(file, document.substring(0, from) + wanted + document.substring(to));
      return;
    }
    assertThat(from < 0 ? "" : document.substring(from, to))
        .as("the table in docs/reference/svix-compatibility.md")
        .isEqualTo(wanted);
  }
}
