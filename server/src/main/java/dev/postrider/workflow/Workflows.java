package dev.postrider.workflow;

import dev.postrider.crypto.Keyring;
import dev.postrider.engine.services.EngineServices;
import dev.postrider.field.FieldValues;
import dev.postrider.id.Id;
import dev.postrider.id.Ids;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationSpec;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.HiddenEnvironments;
import dev.postrider.time.TimeSource;
import dev.postrider.workflow.data.CanonicalJson;
import dev.postrider.workflow.definition.Definition;
import dev.postrider.workflow.definition.DefinitionReader;
import dev.postrider.workflow.definition.Request;
import dev.postrider.workflow.definition.Start;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.definition.WorkflowFields;
import dev.postrider.workflow.loop.WorkflowSecrets;
import dev.postrider.workflow.store.CronTickStore;
import dev.postrider.workflow.store.WorkflowStore;
import dev.postrider.workflow.store.WorkflowStore.Saved;
import dev.postrider.workflow.store.WorkflowStore.StepLane;
import dev.postrider.workflow.store.WorkflowStore.Workflow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Definitions of workflows: saved as versions, read and deleted. */
public final class Workflows {
  /** The application or source whose messages are to start runs does not exist. */
  public static final class UnknownTrigger extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnknownTrigger(Start.Trigger trigger) {
      super(
          "the %s %s does not exist; create it first"
              .formatted(trigger.source() ? "source" : "application", trigger.name()));
    }
  }

  /**
   * A definition to be saved.
   *
   * @param canonical the definition as it is stored, see {@link CanonicalJson}
   * @param secrets by name; they replace those that are stored
   */
  public record Form(Definition definition, String canonical, Map<String, String> secrets) {
    /** Of values that have been checked. */
    public static Form of(FieldValues values) {
      Map<String, String> secrets = values.get(WorkflowFields.SECRETS);
      return of(values, secrets == null ? Map.of() : secrets);
    }

    /**
     * @param values that have been checked
     */
    public static Form of(FieldValues values, Map<String, String> secrets) {
      return new Form(DefinitionReader.read(values), DefinitionReader.canonical(values), secrets);
    }

    /** Without secrets. */
    @Override
    public String toString() {
      return definition.name();
    }
  }

  private final Database database;
  private final Keyring keyring;
  private final ApplicationStore applications;
  private final WorkflowStore store;
  private final CronTickStore ticks;
  private final Ids ids;
  private final TimeSource time;

  public Workflows(EngineServices services) {
    this(
        services.storage().database(),
        services.storage().keyring(),
        services.tenants().applications(),
        services.storage().ids(),
        services.storage().time());
  }

  /**
   * Also within a transaction of the caller.
   *
   * @param database or a transaction in place of it
   */
  public Workflows(
      Database database, Keyring keyring, ApplicationStore applications, Ids ids, TimeSource time) {
    this.database = database;
    this.keyring = keyring;
    this.applications = applications;
    this.ids = ids;
    this.time = time;
    this.store = new WorkflowStore(database, ids, time);
    this.ticks = new CronTickStore(database);
  }

  /** Creates the workflow, or a version of it if the definition is another one. */
  public Saved save(String environmentId, Form form) {
    Definition definition = form.definition();
    String name = definition.name();
    Application own =
        applications
            .createOrGet(
                HiddenEnvironments.ofWorkflows(environmentId), ApplicationSpec.named(name, name))
            .value();
    Map<String, byte[]> sealed = new LinkedHashMap<>();
    form.secrets()
        .forEach(
            (secret, text) ->
                sealed.put(
                    secret, WorkflowSecrets.seal(keyring, environmentId, name, secret, text)));
    WorkflowStore.Content content =
        new WorkflowStore.Content(
            form.canonical(),
            Id.of(CanonicalJson.hash(form.canonical())),
            lanes(definition),
            trigger(environmentId, definition.start().trigger()),
            sealed);
    Id id = ids.next();
    return database.write(
        handle -> {
          Saved saved = store.save(handle, environmentId, name, own.id().value(), content, id);
          ticks.save(handle, saved.workflow().id(), definition.start().cron(), time.nowMs());
          return saved;
        });
  }

  /** Whether the secrets of a workflow differ from these. */
  public boolean hasOtherSecrets(Workflow workflow, Map<String, String> secrets) {
    Map<String, byte[]> sealed = store.secrets(workflow.id());
    return !sealed.keySet().equals(secrets.keySet())
        || secrets.entrySet().stream()
            .anyMatch(
                secret ->
                    !secret
                        .getValue()
                        .equals(
                            WorkflowSecrets.open(
                                keyring,
                                workflow,
                                secret.getKey(),
                                Objects.requireNonNull(sealed.get(secret.getKey())))));
  }

  private WorkflowStore.@Nullable Trigger trigger(
      String environmentId, Start.@Nullable Trigger trigger) {
    if (trigger == null) {
      return null;
    }
    Application application = applications.find(environmentId, trigger.name());
    if (application == null) {
      throw new UnknownTrigger(trigger);
    }
    return new WorkflowStore.Trigger(application.id().value(), trigger.events());
  }

  private static List<StepLane> lanes(Definition definition) {
    List<StepLane> lanes = new ArrayList<>();
    for (Step step : definition.steps()) {
      Request request =
          step instanceof Step.Http http
              ? http.request()
              : step instanceof Step.Callback callback ? callback.request() : null;
      if (request != null) {
        Request.Limits limits = request.limits();
        lanes.add(
            new StepLane(
                step.name(),
                limits.throttle(),
                limits.burst(),
                limits.perMinute(),
                limits.maxInFlight()));
      }
    }
    return lanes;
  }

  /** Null if it does not exist, or was deleted. */
  public @Nullable Workflow find(String environmentId, String name) {
    Workflow found = store.byName(environmentId, name);
    return found != null && found.exists() ? found : null;
  }

  public List<Workflow> list(String environmentId, Id after, int limit) {
    return store.list(environmentId, after, limit);
  }

  public WorkflowStore.@Nullable Version version(Workflow workflow, int number) {
    return store.version(workflow.id(), number);
  }

  /** The newest first, before that number. */
  public List<WorkflowStore.Version> versions(Workflow workflow, int before, int limit) {
    return store.versions(workflow.id(), before, limit);
  }

  /** Messages and ticks start no more runs; those that are under way go on. */
  public boolean delete(String environmentId, String name) {
    return database.write(handle -> store.delete(handle, environmentId, name));
  }
}
