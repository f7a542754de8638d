package dev.postrider.workflow.machine;

import dev.postrider.json.Json;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The details of a row of the history that differ by its kind, stored as one JSON object. Their
 * names are in {@link Detail}; nothing in it is a value of the run.
 */
public final class RowInfo {
  /** The names of the details. */
  public enum Detail {
    /** When the run ends as timed out, or the step fails with its timeout, in milliseconds. */
    DUE("due"),

    /** What the run will end as, or ended as: a text of {@link RunStatus}. */
    ENDING("ending"),

    /** Why it ends, or who asked for it. */
    REASON("reason"),

    /** Present if requests of before are not to be sent any longer. */
    EPOCH("epoch"),

    /** The branches or items of a step. */
    COUNT("count"),

    /** The key of the results that the step continues, after a redrive. */
    KEY("key"),

    /** The scope that the row opens belongs to the branches or items with this key. */
    OF("of"),

    /** The number of the branch, or the index of the item, of the scope that the row opens. */
    ITEM("item"),

    /** The row that the handler compensates. */
    UNDOES("undoes"),

    /**
     * The row with the data of a handler. With {@link #ITEM}: its value is an array, and the data
     * is that item.
     */
    DATA("data"),

    /** Present if the handler is that of {@code finally}. */
    FINALLY("finally"),

    /** The run of the step, as the text of its id without a prefix. */
    CHILD("child"),

    /** The visit in the idempotency key, if it is another. */
    KEY_VISIT("keyVisit"),

    /** The computed path and headers of the request. */
    REQUEST("request"),

    /** Attempts so far. */
    ATTEMPTS("attempts"),

    /** When the next try is due. */
    RETRY_AT("retryAt"),

    /** Present if an answer of the step may still come. */
    OPEN("open"),

    /** How the scope goes on: see {@link Fold}. */
    THEN("then"),

    /** The size of the result that the row adds to the result of its parent. */
    SIZE("size"),

    /** The status of a child, or of an answer of a callback. */
    STATUS("status"),

    /** The number of the step with which a redriven run continues. */
    FROM("from"),

    /** Present if neither compensation nor finally is to run. */
    BARE("bare"),

    /** The id of a published message, as text. */
    MESSAGE("message");

    private final String text;

    Detail(String text) {
      this.text = text;
    }
  }

  public static final RowInfo NONE = new RowInfo(Json.MAPPER.createObjectNode());

  private final ObjectNode node;

  private RowInfo(ObjectNode node) {
    this.node = node;
  }

  /** Builds the details of a history row; a null value is left out. */
  static final class Builder {
    private final ObjectNode node = Json.MAPPER.createObjectNode();

    Builder put(Detail key, @Nullable Long value) {
      if (value != null) {
        node.put(key.text, value);
      }
      return this;
    }

    Builder put(Detail key, @Nullable Integer value) {
      if (value != null) {
        node.put(key.text, value);
      }
      return this;
    }

    Builder put(Detail key, @Nullable String value) {
      if (value != null) {
        node.put(key.text, value);
      }
      return this;
    }

    Builder put(Detail key, @Nullable JsonNode value) {
      if (value != null) {
        node.set(key.text, value);
      }
      return this;
    }

    Builder mark(Detail key) {
      node.put(key.text, true);
      return this;
    }

    RowInfo build() {
      return node.isEmpty() ? NONE : new RowInfo(node);
    }
  }

  static RowInfo of(Consumer<Builder> details) {
    Builder builder = new Builder();
    details.accept(builder);
    return builder.build();
  }

  /** The details of a stored row; null and an empty text are none. */
  public static RowInfo parse(@Nullable String text) {
    return text == null || text.isEmpty()
        ? NONE
        : new RowInfo((ObjectNode) Json.MAPPER.readTree(text));
  }

  /** As stored; null if there are none. */
  public @Nullable String stored() {
    return node.isEmpty() ? null : node.toString();
  }

  public boolean has(Detail key) {
    return node.has(key.text);
  }

  public @Nullable String text(Detail key) {
    return node.path(key.text).isMissingNode() ? null : node.get(key.text).asString();
  }

  public @Nullable Integer number(Detail key) {
    return node.path(key.text).isMissingNode() ? null : node.get(key.text).asInt();
  }

  public @Nullable Long time(Detail key) {
    return node.path(key.text).isMissingNode() ? null : node.get(key.text).asLong();
  }

  /** The detail as JSON; null if there is none. */
  public @Nullable JsonNode node(Detail key) {
    return node.get(key.text);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RowInfo info && node.toString().equals(info.node.toString());
  }

  @Override
  public int hashCode() {
    return node.toString().hashCode();
  }

  @Override
  public String toString() {
    return node.toString();
  }
}
