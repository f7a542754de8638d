package dev.postrider.bench.testbed;

import java.util.List;

/** Creates the endpoints of an application, given the index of the application. */
@FunctionalInterface
public interface Layout {
  void equip(ApiClient api, String application, int index);

  /** So many endpoints at the sink that answer at once. */
  static Layout fanOut(Testbed testbed, int endpoints) {
    return (api, application, index) -> {
      for (int i = 0; i < endpoints; i++) {
        api.createEndpoint(
            application,
            testbed.sinkUrl("ok", index + i * testbed.options().applications()),
            List.of());
      }
    };
  }
}
