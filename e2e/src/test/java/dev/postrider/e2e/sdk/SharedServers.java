package dev.postrider.e2e.sdk;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Passes {@link Servers} to tests; JUnit closes them after the last class. */
final class SharedServers implements ParameterResolver {
  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Servers.class;
  }

  @Override
  public Servers resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(Namespace.create(SharedServers.class))
        .computeIfAbsent(Servers.class, _ -> new Servers(), Servers.class);
  }
}
