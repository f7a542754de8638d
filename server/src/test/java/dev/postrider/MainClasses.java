package dev.postrider;

import com.tngtech.archunit.core.domain.JavaClasses;
import dev.postrider.engine.Engine;
import dev.postrider.testkit.ModuleStructure;

/** The classes of the server and the engine without those of their tests, wherever they are. */
final class MainClasses {
  private MainClasses() {}

  static JavaClasses read() {
    return ModuleStructure.read(Main.class.getPackageName(), Main.class, Engine.class);
  }
}
