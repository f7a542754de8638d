package dev.postrider.e2e.sdk;

import com.svix.Svix;
import dev.postrider.testkit.Databases;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;

/** An environment for each test, and the official Java client with its key. */
@ExtendWith(SharedServers.class)
abstract class SdkBehaviour {
  @Parameter Databases.Kind kind;

  SdkEnvironment environment;
  Svix svix;

  @BeforeEach
  final void open(Servers servers) {
    environment = servers.on(kind).environment();
    svix = environment.svix();
  }

  @AfterEach
  final void close() {
    environment.close();
  }
}
