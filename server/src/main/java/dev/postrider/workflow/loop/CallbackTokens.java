package dev.postrider.workflow.loop;

import dev.postrider.crypto.KeyScope;
import dev.postrider.crypto.Keyring;
import dev.postrider.id.Id;
import dev.postrider.workflow.store.CallbackStore;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.WorkflowStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The one-time tokens of callbacks. A token is computed from a data key and the step instance, so
 * it is in no row: only its hash is, to find the step.
 */
public final class CallbackTokens {
  private static final String PURPOSE = "callback";

  private final Keyring keyring;
  private final CallbackStore store;

  public CallbackTokens(Keyring keyring, CallbackStore store) {
    this.keyring = keyring;
    this.store = store;
  }

  CallbackStore.Open open(WorkflowStore.Workflow workflow, RunRef ref, int seq, long expiresAtMs) {
    Keyring.Tag tag = tag(workflow, ref, seq, null);
    return new CallbackStore.Open(hash(text(tag)), ref, seq, tag.dataKey(), expiresAtMs);
  }

  private Keyring.Tag tag(
      WorkflowStore.Workflow workflow, RunRef ref, int seq, @Nullable Id dataKey) {
    byte[] input = new byte[36];
    ref.applicationId().putTo(input, 0);
    ref.runId().putTo(input, 16);
    ByteBuffer.wrap(input, 32, 4).putInt(seq);
    return keyring.tag(KeyScope.ofEnvironment(workflow.environmentId()), dataKey, PURPOSE, input);
  }

  private static String text(Keyring.Tag tag) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(tag.mac());
  }

  /** The token of a step instance; null if it is closed. */
  @Nullable String of(WorkflowStore.Workflow workflow, RunRef ref, int seq) {
    Id dataKey = store.dataKey(ref, seq);
    return dataKey == null ? null : text(tag(workflow, ref, seq, dataKey));
  }

  /** The step instance that waits for a call with this token; null for any other text. */
  public CallbackStore.@Nullable Waiting waiting(String token) {
    return store.byHash(hash(token));
  }

  private static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime does not support SHA-256", e);
    }
  }
}
