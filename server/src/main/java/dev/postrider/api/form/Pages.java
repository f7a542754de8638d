package dev.postrider.api.form;

import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.storage.Keyset;
import java.util.function.Function;

/** Writes a page of a list with its iterators. */
public final class Pages {
  /** Before a key that begins with a dash, which alone means backward. */
  public static final String FORWARD = "~";

  private Pages() {}

  private static String forward(String key) {
    return key.startsWith("-") ? FORWARD + key : key;
  }

  /**
   * A page of a search that may end before it is full: the iterator is then the position of the
   * search, which need not be an item.
   *
   * @param kind of the ids that are the iterators
   */
  public static <T> JsonOut.Writing searched(
      Keyset.Found<Id, T> found,
      boolean backward,
      IdKind kind,
      Function<T, String> key,
      JsonOut.ItemWriting<T> item) {
    Keyset.Page<T> page = found.page();
    if (found.reached() == null) {
      return page(page, key, item);
    }
    String reached = found.reached().text(kind);
    boolean empty = page.items().isEmpty();
    String last = empty ? reached : key.apply(page.items().getLast());
    String first = empty ? reached : key.apply(page.items().getFirst());
    return out ->
        out.object(
            o ->
                o.array("data", page.items(), item)
                    .text("iterator", forward(backward ? last : reached))
                    .text("prevIterator", "-" + (backward ? reached : first))
                    .flag("done", page.done()));
  }

  public static <T> JsonOut.Writing page(
      Keyset.Page<T> page, Function<T, String> key, JsonOut.ItemWriting<T> item) {
    return out ->
        out.object(
            o -> {
              o.array("data", page.items(), item);
              boolean empty = page.items().isEmpty();
              o.textOrNull("iterator", empty ? null : forward(key.apply(page.items().getLast())));
              o.textOrNull("prevIterator", empty ? null : "-" + key.apply(page.items().getFirst()));
              o.flag("done", page.done());
            });
  }
}
