package dev.postrider.e2e.sdk;

import dev.postrider.testkit.Databases;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** One server process for each database, started when it is first needed. */
final class Servers implements AutoCloseable {
  private final Map<Databases.Kind, PackagedServer> running = new ConcurrentHashMap<>();

  PackagedServer on(Databases.Kind kind) {
    return running.computeIfAbsent(kind, PackagedServer::start);
  }

  @Override
  public void close() {
    running.values().forEach(PackagedServer::close);
  }
}
