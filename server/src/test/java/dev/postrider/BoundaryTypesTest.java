package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import dev.postrider.id.Id;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Public methods and records at the boundaries of the engine have typed ids, {@code Instant} and
 * {@code Duration} (ADR 25). An {@code Id} whose name says what it identifies should be of its
 * type; a number whose name ends with {@code Ms} should be a time or a duration. Keys of a list
 * ({@code Keyset<Id>}) are positions of rows and stay ids.
 */
final class BoundaryTypesTest {
  /** The packages whose public types other packages and the server build on. */
  private static final Set<String> BOUNDARY =
      Set.of(
          "audit",
          "delivery.command",
          "endpoint",
          "engine",
          "engine.services",
          "event",
          "eventtype",
          "message",
          "operational",
          "queue",
          "task",
          "tenant",
          "tenant.key");

  /** In the package of the statements only these types are a boundary; the rest are rows. */
  private static final Pattern READERS = Pattern.compile("delivery\\.store\\.\\w+Reader");

  private static final Pattern NAMED_ID =
      Pattern.compile(
          "(application|attempt|delivery|endpoint|integration|key|lane|message|queue|route|source"
              + "|task)Ids?");

  private static final Pattern MILLISECONDS = Pattern.compile("\\w+Ms");

  /** What is left; it only gets shorter. Most is read or written once per message or attempt. */
  private static final Set<String> LEFT =
      Set.of(
          "delivery.store.DeliveryReader#toLane",
          "delivery.store.ReceivedReader#stretch",
          "endpoint.RouteTarget#endpointId",
          "endpoint.RouteTarget$Lane#slowUntilMs",
          "endpoint.Routing#applicationId",
          "endpoint.RoutingStore#loadConfig",
          "endpoint.RoutingStore#loadConfigs",
          "message.MessagePublisher#plan",
          "message.MessagePublisher$Publication#messageId",
          "message.NewMessage#expiresAtMs",
          "message.NewMessage#withKeyUntil",
          "message.NewMessage$IdempotencyKey#expiresAtMs",
          "message.NewMessage$Schedule#deliverAtMs",
          "message.StepCall#applicationId",
          "message.StepCall#laneId",
          "message.StepCalls$End#retryDelayMs",
          "message.StepCalls$Ended#retryAtMs",
          "queue.QueueOffsetStore#lease",
          "queue.QueueOffsetStore$Place#leaseUntilMs",
          "task.TaskStore#remove",
          "tenant.ApplicationRows#raiseGrant",
          "tenant.EventTtl#expiresAt",
          "tenant.key.ApiKeyStore#expirePortals");

  @Test
  void showTypedIdsAndTimes() {
    JavaClasses main = MainClasses.read();
    Set<String> untyped =
        main.stream()
            .filter(BoundaryTypesTest::isBoundary)
            .map(JavaClass::reflect)
            .filter(BoundaryTypesTest::isPublic)
            .flatMap(BoundaryTypesTest::untyped)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(untyped).isEqualTo(LEFT);
  }

  private static boolean isBoundary(JavaClass type) {
    String name = name(type.getName());
    return BOUNDARY.contains(name(type.getPackageName())) || READERS.matcher(name).matches();
  }

  private static boolean isPublic(Class<?> type) {
    return Stream.<Class<?>>iterate(type, outer -> outer != null, Class::getEnclosingClass)
        .allMatch(outer -> Modifier.isPublic(outer.getModifiers()));
  }

  private static Stream<String> untyped(Class<?> type) {
    Stream<String> components =
        type.isRecord()
            ? Arrays.stream(type.getRecordComponents())
                .filter(BoundaryTypesTest::isUntyped)
                .map(RecordComponent::getName)
            : Stream.of();
    Stream<String> methods =
        Stream.<Executable>concat(
                Arrays.stream(type.getDeclaredMethods()),
                type.isRecord() ? Stream.of() : Arrays.stream(type.getDeclaredConstructors()))
            .filter(unit -> Modifier.isPublic(unit.getModifiers()) && !unit.isSynthetic())
            .filter(unit -> !(type.isRecord() && unit.getParameterCount() == 0))
            .filter(BoundaryTypesTest::isUntyped)
            .map(unit -> unit instanceof Method ? unit.getName() : "<init>");
    return Stream.concat(components, methods).map(member -> name(type.getName()) + "#" + member);
  }

  private static boolean isUntyped(RecordComponent component) {
    return isUntyped(component.getGenericType(), component.getName());
  }

  private static boolean isUntyped(Executable unit) {
    Type[] types = unit.getGenericParameterTypes();
    Parameter[] parameters = unit.getParameters();
    for (int i = 0; i < types.length; i++) {
      if (isUntyped(types[i], parameters[i].getName())) {
        return true;
      }
    }
    return unit instanceof Method method
        && isUntyped(method.getGenericReturnType(), method.getName());
  }

  private static boolean isUntyped(Type type, String name) {
    boolean id = type.getTypeName().matches(".*\\b" + Pattern.quote(Id.class.getName()) + "\\b.*");
    boolean number = type == long.class || type == Long.class;
    return (id && NAMED_ID.matcher(name).matches())
        || (number && MILLISECONDS.matcher(name).matches());
  }

  private static String name(String full) {
    return full.substring(full.indexOf("postrider.") + "postrider.".length());
  }
}
