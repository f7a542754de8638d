package dev.postrider.configfile;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.common.FlowStyle;
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
  private final FileProblems problems;
  private int values;

  private YamlText(String file, FileProblems problems) {
    this.file = file;
    this.problems = problems;
  }

  /**
   * The file's one document; an empty file is an empty table.
   *
   * @param problems gets the duplicate keys
   * @throws BadFile if it is not YAML
   */
  static YamlValue.Table read(String file, String text, FileProblems problems) {
    FilePosition start = new FilePosition(file, 1, 1);
    try {
      Iterator<Node> documents = new Compose(settings(file)).composeAllFromString(text).iterator();
      if (!documents.hasNext()) {
        return YamlValue.Table.empty(start);
      }
      YamlValue root = new YamlText(file, problems).value(documents.next(), 0, "");
      if (documents.hasNext()) {
        throw new BadFile(
            new FileProblem(
                start, "", "contains several documents; remove the lines --- that separate them"));
      }
      return switch (root) {
        case YamlValue.Table table -> table;
        case YamlValue.Scalar scalar when scalar.isNothing() -> YamlValue.Table.empty(start);
        default ->
            throw new BadFile(
                new FileProblem(
                    root.place(),
                    "",
                    "the file is %s; start with a section such as sources: or endpoints:"
                        .formatted(root.kind())));
      };
    } catch (MarkedYamlEngineException e) {
      throw new BadFile(new FileProblem(place(file, e), "", "is not YAML: " + sentence(e)));
    } catch (YamlEngineException e) {
      throw new BadFile(new FileProblem(start, "", "is not YAML: " + e.getMessage()));
    }
  }

  private static LoadSettings settings(String file) {
    return LoadSettings.builder()
        .setLabel(file)
        .setAllowDuplicateKeys(false)
        .setCodePointLimit(MAX_CHARACTERS)
        .build();
  }

  private static FilePosition place(String file, MarkedYamlEngineException e) {
    Optional<Mark> mark = e.getProblemMark().or(e::getContextMark);
    return mark.map(found -> place(file, found)).orElse(new FilePosition(file, 1, 1));
  }

  private static FilePosition place(String file, Mark mark) {
    return new FilePosition(file, mark.getLine() + 1, mark.getColumn() + 1);
  }

  private static String sentence(MarkedYamlEngineException e) {
    String context = e.getContext() == null ? "" : e.getContext() + ", ";
    return context + e.getProblem() + ". Check the indentation, quotes and colons of this line";
  }

  private FilePosition place(Node node) {
    return node.getStartMark()
        .map(mark -> place(file, mark))
        .orElseThrow(() -> new IllegalStateException("the YAML library returned no positions"));
  }

  private YamlValue value(Node node, int depth, String key) {
    if (depth > MAX_DEPTH || ++values > MAX_VALUES) {
      throw new BadFile(
          new FileProblem(
              place(node),
              "",
              "the file is nested deeper than %d levels or has more than %d values; simplify it"
                  .formatted(MAX_DEPTH, MAX_VALUES)));
    }
    return switch (node) {
      case ScalarNode scalar -> new YamlValue.Scalar(place(node), scalar.getValue(), type(scalar));
      case SequenceNode sequence -> items(sequence, depth, key);
      case MappingNode mapping -> table(mapping, depth, key);
      default -> throw new IllegalStateException("unknown type of YAML node " + node.getNodeType());
    };
  }

  /** A table on the lines below its name is looked for where the name stands. */
  private static YamlValue named(YamlValue value, NodeTuple tuple, FilePosition name) {
    return value instanceof YamlValue.Table table
            && tuple.getValueNode() instanceof MappingNode mapping
            && mapping.getFlowStyle() == FlowStyle.BLOCK
        ? new YamlValue.Table(name, table.entries())
        : value;
  }

  private static YamlValue.Type type(ScalarNode scalar) {
    Tag tag = scalar.getTag();
    if (tag.equals(Tag.NULL)) {
      return YamlValue.Type.NOTHING;
    }
    if (tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)) {
      return YamlValue.Type.NUMBER;
    }
    return tag.equals(Tag.BOOL) ? YamlValue.Type.FLAG : YamlValue.Type.TEXT;
  }

  private YamlValue items(SequenceNode sequence, int depth, String key) {
    List<YamlValue> items = new ArrayList<>();
    for (Node item : sequence.getValue()) {
      items.add(value(item, depth + 1, key + "[" + items.size() + "]"));
    }
    return new YamlValue.Items(place(sequence), items);
  }

  private YamlValue table(MappingNode mapping, int depth, String path) {
    Map<String, YamlValue.Entry> entries = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        throw new BadFile(
            new FileProblem(
                place(tuple.getKeyNode()), "", "a key must be a word, not a list or table"));
      }
      String inner = Checker.under(path, key.getValue());
      YamlValue value = value(tuple.getValueNode(), depth + 1, inner);
      YamlValue.Entry entry = new YamlValue.Entry(place(key), named(value, tuple, place(key)));
      YamlValue.Entry first = entries.putIfAbsent(key.getValue(), entry);
      if (first != null) {
        problems.add(
            place(key),
            inner,
            "is a duplicate key, first used in line %d; remove one of the two"
                .formatted(first.at().line()));
      }
    }
    return new YamlValue.Table(place(mapping), entries);
  }
}
