package dev.postrider.api.workflow;

import static dev.postrider.api.http.Scope.PUBLIC;

import dev.postrider.api.http.ApiArea;
import dev.postrider.api.http.Router;
import dev.postrider.workflow.data.JsonValue;
import dev.postrider.workflow.loop.RunOutcome;
import java.util.concurrent.CompletableFuture;

/** The API area of workflows. */
public final class WorkflowArea implements ApiArea {
  private static final String CALLBACK = "/callback/{token}";

  /** Takes the call of a callback. */
  @FunctionalInterface
  public interface Callbacks {
    /**
     * @param failed whether the step is to fail
     */
    CompletableFuture<RunOutcome> call(String token, JsonValue body, boolean failed);
  }

  private final CallbackCalls callbacks;

  /**
   * @param dataBytes the largest value that a run can hold
   */
  public WorkflowArea(Callbacks callbacks, int dataBytes) {
    this.callbacks = new CallbackCalls(callbacks, dataBytes);
  }

  @Override
  public String name() {
    return "workflow";
  }

  /** The token in the path is the credential. */
  @Override
  public void register(Router routes) {
    routes.post(CALLBACK, PUBLIC, callbacks::complete);
    routes.post(CALLBACK + "/fail", PUBLIC, callbacks::fail);
  }
}
