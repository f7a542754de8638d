package dev.postrider.workflow.loop;

import dev.postrider.id.Id;
import dev.postrider.workflow.definition.Definition;
import dev.postrider.workflow.definition.DefinitionReader;
import dev.postrider.workflow.store.WorkflowStore;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The definitions of versions, which never change, with the lanes of their steps. */
public final class Definitions {
  /** Versions that are kept in memory. */
  static final int CACHED = 500;

  /** Reads a stored definition. */
  @FunctionalInterface
  public interface Reader {
    Definition read(String canonical);

    /** Of what {@link DefinitionReader#canonical} wrote. */
    Reader STORED = canonical -> DefinitionReader.read(DefinitionReader.values(canonical));
  }

  /**
   * A version with its workflow.
   *
   * @param lanes by the name of the step
   */
  public record Loaded(
      Definition definition, WorkflowStore.Workflow workflow, Map<String, Id> lanes) {
    Id lane(int step) {
      String name = definition.step(step).name();
      Id lane = lanes.get(name);
      if (lane == null) {
        throw new IllegalStateException("the step " + name + " has no lane");
      }
      return lane;
    }
  }

  private final WorkflowStore store;
  private final Reader reader;
  private final Map<Id, Loaded> loaded =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Id, Loaded> eldest) {
          return size() > CACHED;
        }
      };

  public Definitions(WorkflowStore store, Reader reader) {
    this.store = store;
    this.reader = reader;
  }

  /** Null if there is no such version. */
  public @Nullable Loaded of(Id versionId) {
    synchronized (loaded) {
      Loaded known = loaded.get(versionId);
      if (known != null) {
        return known;
      }
    }
    WorkflowStore.Version version = store.version(versionId);
    WorkflowStore.Workflow workflow = version == null ? null : store.byId(version.workflowId());
    if (version == null || workflow == null) {
      return null;
    }
    Loaded found =
        new Loaded(
            reader.read(version.definition()).stored(version.id(), version.number()),
            workflow,
            store.lanes(workflow.applicationId()));
    synchronized (loaded) {
      loaded.put(versionId, found);
    }
    return found;
  }

  /** The current version of a workflow. */
  public @Nullable Loaded current(Id workflowId) {
    Id versionId = store.currentVersion(workflowId);
    return versionId == null ? null : of(versionId);
  }
}
