package dev.postrider.engine.services;

import dev.postrider.crypto.SealedColumn;
import java.util.List;

/** Secrets are sealed again when their application gets a data key of its own. */
public interface Resealing {
  /** Adds columns of the server to those of the engine; before the engine starts. */
  void also(List<SealedColumn> columns);
}
