package dev.postrider.cli.spec;

import dev.postrider.config.Config;

/** Starts the server and returns, with the exit code, when it has stopped. */
@FunctionalInterface
public interface ServeAction {
  int run(Config config);
}
