package dev.postrider;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.postrider.engine.Engine;

/** The classes of the server and the engine without those of their tests, wherever they are. */
final class MainClasses {
  private MainClasses() {}

  static JavaClasses read() {
    String server = folder(Main.class);
    String engine = folder(Engine.class);
    return new ClassFileImporter()
        .withImportOption(place -> place.contains(server) || place.contains(engine))
        .importPackages(Main.class.getPackageName());
  }

  private static String folder(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().getPath();
  }
}
