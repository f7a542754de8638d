package dev.postrider.cli.remote;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import tools.jackson.databind.JsonNode;

/**
 * A paginated list of the API.
 *
 * @param path with its query, which may be empty but for the question mark
 * @param most stops after this many items
 */
public record Listing(Remote remote, String path, int most) implements Iterable<JsonNode> {
  static final int PAGE = 250;

  @Override
  public Iterator<JsonNode> iterator() {
    return new Items();
  }

  private final class Items implements Iterator<JsonNode> {
    private Iterator<JsonNode> page = List.<JsonNode>of().iterator();
    private String next = "";
    private boolean done;
    private int given;

    @Override
    public boolean hasNext() {
      while (!page.hasNext() && !done && given < most) {
        turn();
      }
      return page.hasNext() && given < most;
    }

    private void turn() {
      JsonNode answer =
          remote.messages(
              path
                  + "&limit="
                  + Math.min(PAGE, most - given)
                  + (next.isEmpty() ? "" : "&iterator=" + Remote.part(next)));
      List<JsonNode> items = new ArrayList<>();
      answer.path("data").forEach(items::add);
      page = items.iterator();
      next = answer.path("iterator").asString("");
      done = answer.path("done").asBoolean(true) || next.isEmpty();
    }

    @Override
    public JsonNode next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      given++;
      return page.next();
    }
  }
}
