package dev.postrider.workflow.definition;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a definition refers to outside itself, as the caller knows it. */
public interface Surroundings {
  /** The names of the secrets of the workflow; null if they are not known. */
  @Nullable Set<String> secrets();

  /** What is wrong with a URL that is to be called, with the fix; null if nothing is known. */
  @Nullable String urlProblem(String url);
}
