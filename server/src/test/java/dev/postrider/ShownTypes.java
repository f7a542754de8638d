package dev.postrider;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The classes that a user of a class sees in its declaration: supertypes, public and protected
 * fields, methods and constructors, their exceptions, annotations, and all type arguments.
 */
final class ShownTypes {
  private final Set<String> names = new TreeSet<>();
  private final Set<Type> visited = new HashSet<>();

  private ShownTypes() {}

  static Set<String> of(Class<?> type) {
    ShownTypes shown = new ShownTypes();
    shown.addAll(type.getTypeParameters());
    if (type.getGenericSuperclass() != null) {
      shown.add(type.getGenericSuperclass());
    }
    shown.addAll(type.getGenericInterfaces());
    for (Field field : type.getDeclaredFields()) {
      if (isShown(field.getModifiers())) {
        shown.add(field.getGenericType());
      }
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      shown.addExecutable(constructor);
    }
    for (Method method : type.getDeclaredMethods()) {
      if (isShown(method.getModifiers())) {
        shown.add(method.getGenericReturnType());
      }
      shown.addExecutable(method);
    }
    if (type.isRecord()) {
      for (RecordComponent component : type.getRecordComponents()) {
        shown.add(component.getGenericType());
      }
    }
    return shown.names;
  }

  private static boolean isShown(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private void addExecutable(Executable executable) {
    if (isShown(executable.getModifiers()) && !executable.isSynthetic()) {
      addAll(executable.getTypeParameters());
      addAll(executable.getGenericParameterTypes());
      addAll(executable.getGenericExceptionTypes());
    }
  }

  private void addAll(Type[] types) {
    for (Type type : types) {
      add(type);
    }
  }

  private void add(Type type) {
    if (!visited.add(type)) {
      return;
    }
    switch (type) {
      case Class<?> plain -> addClass(plain);
      case ParameterizedType generic -> {
        add(generic.getRawType());
        addAll(generic.getActualTypeArguments());
      }
      case GenericArrayType array -> add(array.getGenericComponentType());
      case WildcardType wildcard -> {
        addAll(wildcard.getLowerBounds());
        addAll(wildcard.getUpperBounds());
      }
      case TypeVariable<?> variable -> addAll(variable.getBounds());
      default -> throw new IllegalArgumentException("unknown kind of type: " + type);
    }
  }

  private void addClass(Class<?> plain) {
    Class<?> element = plain;
    while (element.isArray()) {
      element = element.getComponentType();
    }
    if (!element.isPrimitive()) {
      names.add(element.getName());
    }
  }
}
