package dev.postrider.workflow.loop;

import dev.postrider.crypto.KeyScope;
import dev.postrider.crypto.Keyring;
import dev.postrider.workflow.store.WorkflowStore;
import java.nio.charset.StandardCharsets;

/** Seals and opens secrets of workflows; a sealed one is valid for its workflow and name only. */
public final class WorkflowSecrets {
  private WorkflowSecrets() {}

  public static byte[] seal(
      Keyring keyring, String environmentId, String workflow, String name, String text) {
    return keyring.seal(
        KeyScope.ofEnvironment(environmentId),
        text.getBytes(StandardCharsets.UTF_8),
        context(workflow, name));
  }

  public static String open(
      Keyring keyring, WorkflowStore.Workflow workflow, String name, byte[] sealed) {
    return new String(
        keyring.open(workflow.environmentId(), sealed, context(workflow.name(), name)),
        StandardCharsets.UTF_8);
  }

  private static byte[] context(String workflow, String name) {
    return ("workflow secret " + workflow + " " + name).getBytes(StandardCharsets.UTF_8);
  }
}
