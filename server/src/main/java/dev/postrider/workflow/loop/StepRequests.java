package dev.postrider.workflow.loop;

import dev.postrider.crypto.Keyring;
import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.engine.services.StepServices;
import dev.postrider.field.FieldValues;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.EndpointId;
import dev.postrider.id.Id;
import dev.postrider.message.StepAnswer;
import dev.postrider.message.StepCall;
import dev.postrider.message.StepWork;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import dev.postrider.workflow.data.TextTemplate;
import dev.postrider.workflow.definition.Request;
import dev.postrider.workflow.definition.Step;
import dev.postrider.workflow.machine.Answer;
import dev.postrider.workflow.machine.RunEvent;
import dev.postrider.workflow.store.RunRef;
import dev.postrider.workflow.store.WorkflowStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the engine asks of requests of steps: their configuration, opened, and the bytes that are
 * sent. It passes their answers on to the mailboxes.
 */
public final class StepRequests implements StepWork, StepServices.Configs {
  private static final String PLACEHOLDER = "{{token}}";

  /** The server has written what is before it, so a placeholder behind it is not one. */
  private static final byte[] DATA = "\"data\":".getBytes(StandardCharsets.UTF_8);

  private final Definitions definitions;
  private final WorkflowStore store;
  private final Keyring keyring;
  private final CallbackTokens tokens;
  private final Mailboxes mailboxes;

  StepRequests(
      Definitions definitions,
      WorkflowStore store,
      Keyring keyring,
      CallbackTokens tokens,
      Mailboxes mailboxes) {
    this.definitions = definitions;
    this.store = store;
    this.keyring = keyring;
    this.tokens = tokens;
    this.mailboxes = mailboxes;
  }

  @Override
  public void answered(StepAnswer answer) {
    StepCall call = answer.call();
    mailboxes.answered(
        new RunRef(call.applicationId(), call.origin().runId()),
        new RunEvent.Answered(call.origin().seq(), answer(answer)),
        answer);
  }

  private static Answer answer(StepAnswer answer) {
    Duration retryAfter = answer.retryAfter();
    return new Answer(
        switch (answer.kind()) {
          case ANSWERED -> Answer.Kind.ANSWERED;
          case TIMEOUT -> Answer.Kind.TIMEOUT;
          case NETWORK -> Answer.Kind.NETWORK;
          case REJECTED -> Answer.Kind.REJECTED;
        },
        answer.status(),
        answer.body(),
        answer.truncated(),
        answer.failedBefore(),
        retryAfter == null ? null : (Long) retryAfter.toMillis(),
        answer.error());
  }

  @Override
  public byte[] filled(StepCall call, byte[] stored) {
    Definitions.Loaded loaded = definitions.of(call.origin().version());
    if (loaded == null
        || !(loaded.definition().step(call.origin().step()) instanceof Step.Callback)) {
      return stored;
    }
    RunRef ref = new RunRef(call.applicationId(), call.origin().runId());
    String token = tokens.of(loaded.workflow(), ref, call.origin().seq());
    int end = indexOf(stored, DATA);
    if (token == null || end < 0) {
      return stored;
    }
    byte[] head =
        new String(stored, 0, end, StandardCharsets.UTF_8)
            .replace(PLACEHOLDER, token)
            .getBytes(StandardCharsets.UTF_8);
    byte[] filled = new byte[head.length + stored.length - end];
    System.arraycopy(head, 0, filled, 0, head.length);
    System.arraycopy(stored, end, filled, head.length, stored.length - end);
    return filled;
  }

  private static int indexOf(byte[] bytes, byte[] part) {
    for (int at = 0; at + part.length <= bytes.length; at++) {
      int same = 0;
      while (same < part.length && bytes[at + same] == part[same]) {
        same++;
      }
      if (same == part.length) {
        return at;
      }
    }
    return -1;
  }

  @Override
  public String header(StepCall call, String value) {
    Definitions.Loaded loaded = definitions.of(call.origin().version());
    return loaded == null ? value : text(TextTemplate.parse(value), new Secrets(loaded.workflow()));
  }

  @Override
  public @Nullable EndpointConfig load(Id version, int step) {
    Definitions.Loaded loaded = definitions.of(version);
    if (loaded == null || step >= loaded.definition().steps().size()) {
      return null;
    }
    Request request =
        switch (loaded.definition().step(step)) {
          case Step.Http http -> http.request();
          case Step.Callback callback -> callback.request();
          case Step.Choice _,
              Step.Parallel _,
              Step.MapItems _,
              Step.Wait _,
              Step.Child _,
              Step.Send _,
              Step.Transform _,
              Step.Fail _,
              Step.Succeed _ ->
              null;
        };
    return request == null ? null : config(loaded, version, request);
  }

  private EndpointConfig config(Definitions.Loaded loaded, Id version, Request request) {
    Secrets secrets = new Secrets(loaded.workflow());
    Map<String, String> headers = new LinkedHashMap<>();
    request
        .headers()
        .forEach(
            (name, template) -> {
              if (template.expressions().isEmpty()) { // the others come with each request
                headers.put(name, text(template, secrets));
              }
            });
    TextTemplate signing = request.signingSecret();
    return new EndpointConfig(
        new ApplicationId(loaded.workflow().applicationId()),
        new EndpointId(version),
        loaded.workflow().environmentId(),
        1,
        FieldValues.NONE.with(EndpointFields.URL, base(request.url())),
        new EndpointConfig.Request(
            request.method(),
            (int) request.timeout().toMillis(),
            request.limits().maxInFlight(),
            headers),
        new EndpointConfig.Signing(
            SignatureScheme.byDefault(),
            signing == null ? List.of() : List.of(SigningKey.parse(text(signing, secrets)))),
        new EndpointConfig.Shape(false, false),
        new EndpointConfig.RetryPolicies(null, null),
        false,
        false);
  }

  /** Up to the first computed part, which is in path or query and comes with each request. */
  private static String base(TextTemplate url) {
    return url.parts().getFirst() instanceof TextTemplate.Literal literal ? literal.text() : "";
  }

  private static String text(TextTemplate template, Secrets secrets) {
    StringBuilder text = new StringBuilder();
    for (TextTemplate.Part part : template.parts()) {
      switch (part) {
        case TextTemplate.Literal literal -> text.append(literal.text());
        case TextTemplate.SecretName secret -> text.append(secrets.get(secret.name()));
        case TextTemplate.Computed computed ->
            text.append("{{").append(computed.expression()).append("}}");
      }
    }
    return text.toString();
  }

  /** The secrets of a workflow, read at the first use. */
  private final class Secrets {
    private final WorkflowStore.Workflow workflow;
    private @Nullable Map<String, byte[]> sealed;

    Secrets(WorkflowStore.Workflow workflow) {
      this.workflow = workflow;
    }

    String get(String name) {
      Map<String, byte[]> all = sealed;
      if (all == null) {
        all = store.secrets(workflow.id());
        sealed = all;
      }
      byte[] one = all.get(name);
      if (one == null) {
        throw new IllegalStateException("the secret " + name + " is not stored");
      }
      return WorkflowSecrets.open(keyring, workflow, name, one);
    }
  }
}
