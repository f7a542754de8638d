package dev.postrider.configfile.plan;

import dev.postrider.configfile.Document;
import dev.postrider.field.FieldValues;
import dev.postrider.id.Id;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.workflow.Workflows;
import dev.postrider.workflow.definition.DefinitionReader;
import dev.postrider.workflow.definition.WorkflowFields;
import dev.postrider.workflow.store.WorkflowStore.Version;
import dev.postrider.workflow.store.WorkflowStore.Workflow;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Plans the changes of workflows. A changed workflow gets a version; runs finish with the version
 * that they started with.
 *
 * @param expected the applications that the file describes, which may not exist yet
 */
record WorkflowReconciler(
    String environmentId,
    ApplicationStore applications,
    Workflows workflows,
    Set<String> expected,
    List<Document.NamedWorkflow> entries)
    implements Reconciler {

  @Override
  public void planDeletes(PlanBuilder plan) {
    Set<String> named =
        entries.stream().map(Document.NamedWorkflow::name).collect(Collectors.toSet());
    plan.owned(Kind.WORKFLOW)
        .forEach(
            (name, id) -> {
              if (named.contains(name)) {
                return;
              }
              Workflow found = workflows.find(environmentId, name);
              if (found == null || !found.id().equals(id)) {
                plan.release(Kind.WORKFLOW, name);
              } else {
                plan.delete(Kind.WORKFLOW, name, () -> workflows.delete(environmentId, name));
              }
            });
  }

  @Override
  public void planUpserts(PlanBuilder plan) {
    for (Document.NamedWorkflow entry : entries) {
      refuseUnknownApplication(plan, entry);
      Workflow found = workflows.find(environmentId, entry.name());
      if (found == null) {
        plan.create(entry, Kind.WORKFLOW, entry.name(), () -> save(entry));
        continue;
      }
      Version version = workflows.version(found, found.version());
      FieldValues before =
          version == null ? FieldValues.NONE : DefinitionReader.values(version.definition());
      plan.update(
          entry,
          Kind.WORKFLOW,
          entry.name(),
          found.id(),
          new Difference()
              .of(WorkflowFields.ALL, before, entry.values().stored())
              .secret(WorkflowFields.SECRETS, workflows.hasOtherSecrets(found, entry.secrets())),
          () -> save(entry));
    }
  }

  private void refuseUnknownApplication(PlanBuilder plan, Document.NamedWorkflow entry) {
    String uid = entry.values().stored().get(WorkflowFields.APPLICATION);
    if (uid != null && !expected.contains(uid) && applications.find(environmentId, uid) == null) {
      plan.problem(
          entry,
          "the application %s does not exist; add applications: { %1$s: {} }, or create it first"
              .formatted(uid));
    }
  }

  private Id save(Document.NamedWorkflow entry) {
    return workflows
        .save(environmentId, Workflows.Form.of(entry.values().stored(), entry.secrets()))
        .workflow()
        .id();
  }
}
