package dev.postrider.api;

import dev.postrider.storage.Keyset;
import java.util.function.Function;

/** Writes a page of a list with its iterators. */
final class Pages {
  private Pages() {}

  static <T> JsonOut.Writing page(
      Keyset.Page<T> page, Function<T, String> key, JsonOut.ItemWriting<T> item) {
    return out ->
        out.object(
            o -> {
              o.array("data", page.items(), item);
              boolean empty = page.items().isEmpty();
              o.textOrNull("iterator", empty ? null : key.apply(page.items().getLast()));
              o.textOrNull("prevIterator", empty ? null : "-" + key.apply(page.items().getFirst()));
              o.flag("done", page.done());
            });
  }
}
