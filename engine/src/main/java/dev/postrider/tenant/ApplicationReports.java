package dev.postrider.tenant;

import dev.postrider.id.Id;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Notified of deleted applications, within the transaction that deletes them. */
@FunctionalInterface
public interface ApplicationReports {
  ApplicationReports NONE = (_, _, _) -> {};

  void deleted(Handle handle, Application application, List<Id> endpoints);
}
