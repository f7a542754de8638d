package dev.postrider.bench.crash;

import dev.postrider.bench.testbed.ApiClient;
import dev.postrider.bench.testbed.BenchFailure;
import dev.postrider.bench.testbed.Pause;
import dev.postrider.bench.testbed.ServerSpec;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The parts of one trial: instances with a common database, clients and the receiver. Applications
 * and endpoints are created once, on the first healthy instance.
 */
final class World implements AutoCloseable {
  static final String API_KEY = "crash-suite-api-key-0123456789";
  private static final String MASTER_KEY = "Y3Jhc2gtc3VpdGUtbWFzdGVyLWtleS0zMi1ieXRlcyE=";
  private static final int TENANTS = 3;
  private static final int ENDPOINTS = 2;
  private static final int UNDER_WAY = 3;
  private static final double UNDER_WAY_SECONDS = 5;
  private static final int RETRIES = 40;
  private static final String RETRY_DELAY = "300ms";

  /** The endpoint that takes one message at a time, in the order of their acceptance. */
  static final String ORDERED = "ordered";

  /** An application and its endpoints, by the names that the receiver knows them by. */
  record Tenant(String application, Map<String, String> endpointIds) {}

  /** How often instances say that they live, and when they count as dead. */
  record Beats(String every, String deadAfter) {
    static final Beats FAST = new Beats("500ms", "2s");
    static final Beats DEFAULT = new Beats("5s", "20s");
  }

  private final TimeSource time;
  private final Pause pause;
  private final Path folder;
  private final ChildProcesses children;
  private final TrialDatabase database;
  private final ServerSpec spec;
  private final Ledger ledger = new Ledger();
  private final Disruptions disruptions = new Disruptions();
  private final RecordingReceiver receiver;
  private final Callers callers;
  private final Stalls stalls;
  private final List<Instance> instances = new CopyOnWriteArrayList<>();
  private final List<Tenant> tenants = new CopyOnWriteArrayList<>();

  World(
      ServerSpec base,
      TrialDatabase database,
      Beats beats,
      long seed,
      Path folder,
      ChildProcesses children,
      TimeSource time) {
    this.time = time;
    this.pause = new Pause(time);
    this.folder = folder;
    this.children = children;
    this.database = database;
    this.spec = base.withSettings(settings(database, beats));
    this.receiver = RecordingReceiver.start(ledger, new ReceiverPlan(seed), time);
    this.callers = new Callers(this, ledger, time);
    this.stalls = new Stalls(disruptions, time);
  }

  private static Map<String, String> settings(TrialDatabase database, Beats beats) {
    Map<String, String> settings = new LinkedHashMap<>(database.settings());
    settings.put("POSTRIDER_API_KEY", API_KEY);
    settings.put("POSTRIDER_MASTER_KEY", MASTER_KEY);
    settings.put("POSTRIDER_ALLOW_TARGETS", "127.0.0.0/8");
    settings.put(
        "POSTRIDER_RETRY_SCHEDULE", String.join(",", Collections.nCopies(RETRIES, RETRY_DELAY)));
    settings.put("POSTRIDER_HEARTBEAT", beats.every());
    settings.put("POSTRIDER_DEAD_AFTER", beats.deadAfter());
    return settings;
  }

  TimeSource time() {
    return time;
  }

  Pause pause() {
    return pause;
  }

  Ledger ledger() {
    return ledger;
  }

  Disruptions disruptions() {
    return disruptions;
  }

  TrialDatabase database() {
    return database;
  }

  Callers callers() {
    return callers;
  }

  List<Tenant> tenants() {
    return tenants;
  }

  /** How many deliveries an accepted message has. */
  int fanOut() {
    return ENDPOINTS;
  }

  /** A new instance, healthy. */
  Instance start() {
    if (instances.isEmpty()) {
      stalls.start();
    }
    Path data = folder.resolve("data-" + instances.size());
    try {
      Files.createDirectories(data);
    } catch (IOException e) {
      throw new BenchFailure("cannot make " + data, e);
    }
    Map<String, String> own = new LinkedHashMap<>(spec.settings());
    own.putIfAbsent("POSTRIDER_DATA_DIR", data.toString());
    Instance instance =
        new Instance(
            "server" + instances.size(),
            new ServerSpec(spec.jar(), spec.jvmFlags(), own),
            folder,
            children,
            time);
    instance.start();
    instances.add(instance);
    if (tenants.isEmpty()) {
      makeTenants(instance);
    }
    return instance;
  }

  private void makeTenants(Instance instance) {
    try (ApiClient api = new ApiClient(instance.address(), API_KEY)) {
      for (int i = 0; i < TENANTS; i++) {
        String application = api.createApplication("tenant " + i);
        Map<String, String> endpoints = new LinkedHashMap<>();
        for (int j = 0; j < ENDPOINTS; j++) {
          String name = "t" + i + "e" + j;
          endpoints.put(name, api.createEndpoint(application, receiver.url(name), List.of()));
        }
        tenants.add(new Tenant(application, endpoints));
      }
      tenants.add(orderedTenant(api));
    }
  }

  private Tenant orderedTenant(ApiClient api) {
    String application = api.createApplication("ordered tenant");
    String path = "/app/" + application + "/endpoint";
    String ordered =
        api.post(path, Map.of("url", receiver.url(ORDERED), "ordering", "fifo"))
            .get("id")
            .asString();
    String other = api.createEndpoint(application, receiver.url("unordered"), List.of());
    return new Tenant(application, Map.of(ORDERED, ordered, "unordered", other));
  }

  /** Has one caller, who waits for each answer; so the order of its numbers is the accepted one. */
  Tenant orderedTenant() {
    return tenants.getLast();
  }

  List<Tenant> unorderedTenants() {
    return tenants.subList(0, TENANTS);
  }

  /**
   * Waits until the receiver has a few requests of this life in hand, so that a fault hits them.
   */
  void awaitUnderWay(Instance instance) {
    pause.await(UNDER_WAY_SECONDS, () -> receiver.underWay(instance.life()) >= UNDER_WAY);
  }

  /** This instance stays dead; callers learn of it. */
  void retire(Instance instance) {
    instances.remove(instance);
  }

  /** One of the instances, dead or alive: callers do not know either. */
  String anyAddress(SplittableRandom random) {
    return instances.get(random.nextInt(instances.size())).address();
  }

  /** The first instance that answers. */
  Instance healthyInstance() {
    return instances.stream()
        .filter(Instance::healthy)
        .findFirst()
        .orElseThrow(() -> new BenchFailure("no instance is healthy"));
  }

  /** Deliveries that were promised and have not arrived. */
  List<String> missing() {
    List<String> missing = new ArrayList<>();
    for (Ledger.Accepted accepted : ledger.accepted()) {
      for (Tenant tenant : tenants) {
        if (tenant.application().equals(accepted.application())) {
          for (String endpoint : tenant.endpointIds().keySet()) {
            if (!ledger.reached(accepted.messageId(), endpoint)) {
              missing.add(accepted.messageId() + " to " + endpoint);
            }
          }
        }
      }
    }
    return missing;
  }

  @Override
  public void close() {
    stalls.close();
    callers.close();
    instances.forEach(
        instance -> {
          if (instance.alive()) {
            instance.kill(disruptions);
          }
        });
    receiver.close();
  }
}
