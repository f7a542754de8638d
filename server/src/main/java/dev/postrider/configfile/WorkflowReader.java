package dev.postrider.configfile;

import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.Expressions;
import dev.postrider.field.Field;
import dev.postrider.workflow.definition.ChildGraph;
import dev.postrider.workflow.definition.DefinitionCheck;
import dev.postrider.workflow.definition.Place;
import dev.postrider.workflow.definition.Problems;
import dev.postrider.workflow.definition.Surroundings;
import dev.postrider.workflow.definition.WorkflowFields;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads workflows, and rejects those that could not run as they are meant. */
final class WorkflowReader {
  private final FieldReader fields;
  private final FileProblems problems;
  private final DefinitionCheck check;

  WorkflowReader(
      FieldReader fields, Expressions expressions, Evaluator evaluator, FileProblems problems) {
    this.fields = fields;
    this.problems = problems;
    this.check = new DefinitionCheck(expressions, evaluator);
  }

  /**
   * @param names of all workflows of the file, also those that did not pass the checker
   */
  List<Document.NamedWorkflow> read(List<FileFields> entries, Set<String> names) {
    List<Document.NamedWorkflow> workflows = new ArrayList<>();
    Map<String, Set<String>> children = new HashMap<>();
    names.forEach(name -> children.put(name, Set.of()));
    for (FileFields entry : entries) {
      FileValues values =
          fields.read(entry, WorkflowFields.ALL).with(WorkflowFields.NAME, entry.name());
      children.put(entry.name(), ChildGraph.childrenOf(values.stored()));
      Found found = new Found(entry);
      check.check(values.stored(), surroundings(entry, values), found);
      workflows.add(new Document.NamedWorkflow(entry.place(), entry.key(), values, found.warnings));
    }
    ChildGraph graph = new ChildGraph(children);
    for (int n = 0; n < entries.size(); n++) {
      graph.check(workflows.get(n).values().stored(), new Found(entries.get(n)));
    }
    return workflows;
  }

  private Surroundings surroundings(FileFields entry, FileValues values) {
    return new Surroundings() {
      @Override
      public @Nullable Set<String> secrets() {
        Map<String, String> secrets = values.writeOnly().get(WorkflowFields.SECRETS);
        return problems.isAbout(entry.key() + "." + WorkflowFields.SECRETS.fileName())
            ? null
            : secrets == null ? Set.of() : secrets.keySet();
      }

      @Override
      public @Nullable String urlProblem(String url) {
        return FileFormats.url().rule().problem(url);
      }
    };
  }

  /** The problems of one workflow, with their places in the file. */
  private final class Found implements Problems {
    private final FileFields entry;
    private final List<FileProblem> warnings = new ArrayList<>();

    Found(FileFields entry) {
      this.entry = entry;
    }

    @Override
    public void add(Place place, String text) {
      problems.add(position(place), key(place), text);
    }

    @Override
    public void warn(Place place, String text) {
      warnings.add(new FileProblem(position(place), key(place), text));
    }

    @Override
    public boolean isAbout(Place place) {
      return problems.isAbout(key(place));
    }

    @Override
    public String name(Field<?> field) {
      return Objects.requireNonNull(field.fileName());
    }

    private String key(Place place) {
      return place == Place.ROOT ? entry.key() : entry.key() + "." + place.inFile();
    }

    private FilePosition position(Place place) {
      return ConfigurationFile.nearest(entry.table(), place.inFile()).place();
    }
  }
}
