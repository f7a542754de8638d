package dev.postrider.api.message;

import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.id.MessageId;
import dev.postrider.message.Message;
import dev.postrider.message.MessageReader;
import dev.postrider.tenant.Application;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the message that a path names. */
final class MessageLookup {
  private final MessageReader reader;

  MessageLookup(MessageReader reader) {
    this.reader = reader;
  }

  /** The message in the path. */
  Message inPath(Call call, Application application, boolean withContent) {
    Message found = reader.find(application.id(), call.path("message"), withContent);
    if (found == null) {
      throw ApiError.notFound("message");
    }
    return found;
  }

  Map<MessageId, Message> all(Application application, List<MessageId> ids) {
    return reader.all(application.id(), Set.copyOf(ids), true);
  }
}
