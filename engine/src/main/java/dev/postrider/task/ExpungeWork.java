package dev.postrider.task;

import dev.postrider.delivery.store.ContentStore;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.message.Message;
import dev.postrider.message.MessageFilter;
import dev.postrider.message.MessageReader;
import dev.postrider.storage.Keyset;
import dev.postrider.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Deletes the payloads of all messages that an application had when the task was created. */
final class ExpungeWork implements TaskWork {
  static final int PAGE = 200;
  static final String PURGED = "messagesPurged";

  private final MessageReader messages;
  private final ContentStore contents;
  private final TimeSource time;

  ExpungeWork(MessageReader messages, ContentStore contents, TimeSource time) {
    this.messages = messages;
    this.contents = contents;
    this.time = time;
  }

  @Override
  public Step next(Task task) {
    String cursor = task.progress().cursor();
    Id reached = cursor == null ? null : Id.parse(IdKind.DELIVERY, cursor);
    Id after = reached == null ? Id.ZERO : reached;
    MessageFilter all = new MessageFilter(null, null, List.of(), null, null);
    List<ContentStore.Expunged> done = new ArrayList<>();
    return new Step() {
      @Override
      public Task.Progress write(Handle handle) {
        done.clear(); // it may be a second run
        List<Message> page =
            messages
                .rows(
                    handle,
                    task.application(),
                    all,
                    new Keyset<>(PAGE - 1, after, false, true),
                    false)
                .stream()
                .filter(message -> message.id().value().compareTo(task.id().value()) < 0)
                .toList();
        for (Message message : page) {
          done.add(contents.expungeMessage(handle, task.application(), message.id(), time.nowMs()));
        }
        int purged = (int) done.stream().filter(ContentStore.Expunged::payload).count();
        Id last = page.size() < PAGE ? null : page.getLast().id().value();
        return WindowWork.progress(task, last, PURGED, purged);
      }

      @Override
      public void committed() {
        done.forEach(contents::notifyListener);
      }
    };
  }
}
