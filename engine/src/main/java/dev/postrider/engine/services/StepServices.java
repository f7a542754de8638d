package dev.postrider.engine.services;

import dev.postrider.endpoint.EndpointConfig;
import dev.postrider.id.Id;
import dev.postrider.message.StepCalls;
import dev.postrider.message.StepWork;
import org.jspecify.annotations.Nullable;

/** Requests of workflow steps, sent by the engine for their owner. */
public record StepServices(StepCalls calls, Slot slot) {
  /** Loads what a request of a step is sent with. */
  public interface Configs {
    /**
     * URL, method, headers with their secrets, signing keys and timeout.
     *
     * @param version of the workflow
     * @param step the number of the step in it
     * @return null if there is no such step
     */
    @Nullable EndpointConfig load(Id version, int step);
  }

  /** Where the owner registers, before the engine starts. */
  public interface Slot {
    /**
     * @param responseBytes the longest response that is kept
     */
    void use(StepWork work, Configs configs, int responseBytes);
  }
}
