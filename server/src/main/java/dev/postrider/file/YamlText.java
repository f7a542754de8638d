package dev.postrider.file;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Reads YAML 1.2 into values. The only class that names the YAML library, so that a server without
 * a file never loads it.
 */
final class YamlText {
  /** Aliases are expanded; a small file must not grow without end by them. */
  static final int MAX_VALUES = 200_000;

  static final int MAX_DEPTH = 60;
  static final int MAX_CHARACTERS = 4 * 1024 * 1024;

  private final String file;
  private int values;

  private YamlText(String file) {
    this.file = file;
  }

  /**
   * The file's one document; an empty file is an empty table.
   *
   * @throws BadFile if it is no YAML
   */
  static Value.Table read(String file, String text) {
    Place start = new Place(file, 1, 1);
    try {
      Iterator<Node> documents = new Compose(settings(file)).composeAllFromString(text).iterator();
      if (!documents.hasNext()) {
        return Value.Table.empty(start);
      }
      Value root = new YamlText(file).value(documents.next(), 0);
      if (documents.hasNext()) {
        throw new BadFile(
            new Problem(
                start, "", "holds several documents; remove the lines --- that separate them"));
      }
      return switch (root) {
        case Value.Table table -> table;
        case Value.Scalar scalar when scalar.isNothing() -> Value.Table.empty(start);
        default ->
            throw new BadFile(
                new Problem(
                    root.place(),
                    "",
                    "the file is %s; begin with a section such as sources: or endpoints:"
                        .formatted(root.kind())));
      };
    } catch (MarkedYamlEngineException e) {
      throw new BadFile(new Problem(place(file, e), "", "is not YAML: " + sentence(e)));
    } catch (YamlEngineException e) {
      throw new BadFile(new Problem(start, "", "is not YAML: " + e.getMessage()));
    }
  }

  private static LoadSettings settings(String file) {
    return LoadSettings.builder()
        .setLabel(file)
        .setAllowDuplicateKeys(false)
        .setCodePointLimit(MAX_CHARACTERS)
        .build();
  }

  private static Place place(String file, MarkedYamlEngineException e) {
    Optional<Mark> mark = e.getProblemMark().or(e::getContextMark);
    return mark.map(found -> place(file, found)).orElse(new Place(file, 1, 1));
  }

  private static Place place(String file, Mark mark) {
    return new Place(file, mark.getLine() + 1, mark.getColumn() + 1);
  }

  private static String sentence(MarkedYamlEngineException e) {
    String context = e.getContext() == null ? "" : e.getContext() + ", ";
    return context + e.getProblem() + ". Check the indentation, quotes and colons of this line";
  }

  private Place place(Node node) {
    return node.getStartMark()
        .map(mark -> place(file, mark))
        .orElseThrow(() -> new IllegalStateException("the YAML library kept no marks"));
  }

  private Value value(Node node, int depth) {
    if (depth > MAX_DEPTH || ++values > MAX_VALUES) {
      throw new BadFile(
          new Problem(
              place(node),
              "",
              "the file is deeper than %d levels or has more than %d values; make it simpler"
                  .formatted(MAX_DEPTH, MAX_VALUES)));
    }
    return switch (node) {
      case ScalarNode scalar -> new Value.Scalar(place(node), scalar.getValue(), type(scalar));
      case SequenceNode sequence -> items(sequence, depth);
      case MappingNode mapping -> table(mapping, depth);
      default -> throw new IllegalStateException("unknown kind of YAML node " + node.getNodeType());
    };
  }

  private static Value.Type type(ScalarNode scalar) {
    Tag tag = scalar.getTag();
    if (tag.equals(Tag.NULL)) {
      return Value.Type.NOTHING;
    }
    if (tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)) {
      return Value.Type.NUMBER;
    }
    return tag.equals(Tag.BOOL) ? Value.Type.FLAG : Value.Type.TEXT;
  }

  private Value items(SequenceNode sequence, int depth) {
    List<Value> items = new ArrayList<>();
    for (Node item : sequence.getValue()) {
      items.add(value(item, depth + 1));
    }
    return new Value.Items(place(sequence), items);
  }

  private Value table(MappingNode mapping, int depth) {
    Map<String, Value.Entry> entries = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        throw new BadFile(
            new Problem(
                place(tuple.getKeyNode()), "", "a key must be a word, not a list or table"));
      }
      Value.Entry entry = new Value.Entry(place(key), value(tuple.getValueNode(), depth + 1));
      if (entries.putIfAbsent(key.getValue(), entry) != null) {
        throw new BadFile(
            new Problem(place(key), key.getValue(), "stands here twice; remove one of the two"));
      }
    }
    return new Value.Table(place(mapping), entries);
  }
}
