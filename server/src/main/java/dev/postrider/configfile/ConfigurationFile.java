package dev.postrider.configfile;

import dev.postrider.config.ConfigException;
import dev.postrider.configfile.url.KnownUrls;
import dev.postrider.engine.services.EvaluationServices;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.json.Json;
import dev.postrider.time.SystemTime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * A configuration file that was read, merged with its overlay, and with variables and secret files
 * resolved.
 */
public final class ConfigurationFile {
  public static final String DEFAULT_NAME = "postrider.yaml";

  /** The item's number in {@code [0].event}, and the dot behind it. */
  private static final Pattern ITEM = Pattern.compile("\\[([0-9]{1,9})]\\.?");

  private static final String SETTINGS = "settings";

  private final YamlValue.Table tree;
  private final Document document;
  private final List<FileProblem> unset;

  private ConfigurationFile(YamlValue.Table tree, Document document, List<FileProblem> unset) {
    this.tree = tree;
    this.document = document;
    this.unset = List.copyOf(unset);
  }

  /**
   * Reads a file of this machine.
   *
   * @param overlay such as {@code staging}: lays {@code postrider.staging.yaml} over {@code
   *     postrider.yaml}, and its variables are also read from {@code .env.staging}; null for none
   * @throws BadFile with every problem
   */
  public static ConfigurationFile read(
      Path file, @Nullable String overlay, Map<String, String> environment) {
    return read(ConfigurationText.ofFile(file, overlay), environment);
  }

  /**
   * Reads a file.
   *
   * @throws BadFile with every problem
   */
  public static ConfigurationFile read(ConfigurationText text, Map<String, String> environment) {
    FileProblems problems = new FileProblems();
    Map<String, String> variables = variables(text, environment);
    return filled(tree(text, problems), text, variables, problems);
  }

  /**
   * Reads a file as {@link #read} does, and holds its URLs and settings against those of a server
   * that would start with it. Variables that are not set are not problems: {@link #unset} lists
   * them.
   *
   * @param server from the file's settings to the rule for URLs
   * @throws BadFile with every problem
   */
  public static ConfigurationFile readFor(
      Function<Map<String, String>, KnownUrls> server,
      ConfigurationText text,
      Map<String, String> environment) {
    FileProblems problems = new FileProblems();
    ConfigurationFile read = withUnset(text, environment, problems);
    try (KnownUrls urls = server.apply(read.document.settings())) {
      read.document
          .urls()
          .forEach(
              (key, url) -> {
                String problem = problems.isAbout(key) ? null : urls.problem(url);
                if (problem != null) {
                  problems.add(read.placeOf(key), key, problem);
                }
              });
    } catch (ConfigException e) {
      e.problems().forEach(problem -> problems.add(read.placeOf("settings"), "", problem));
    }
    problems.throwIfAny();
    return read;
  }

  /**
   * Only the section {@code settings}: who calls a server has to find it, and needs neither the
   * secrets nor the variables of the rest.
   *
   * @throws BadFile with every problem of that section
   */
  public static Map<String, String> settings(
      ConfigurationText text, Map<String, String> environment) {
    FileProblems problems = new FileProblems();
    Map<String, String> variables = variables(text, environment);
    YamlValue.Table tree = tree(text, problems);
    Map<String, YamlValue.Entry> section = new LinkedHashMap<>(tree.entries());
    section.keySet().retainAll(Set.of(SETTINGS));
    return filled(new YamlValue.Table(tree.place(), section), text, variables, problems)
        .document()
        .settings();
  }

  /**
   * Reads a file as {@link #read} does, but variables that are not set are not problems: {@link
   * #unset} lists them.
   *
   * @throws BadFile with every problem
   */
  public static ConfigurationFile readWithUnset(
      ConfigurationText text, Map<String, String> environment) {
    FileProblems problems = new FileProblems();
    ConfigurationFile read = withUnset(text, environment, problems);
    problems.throwIfAny();
    return read;
  }

  private static ConfigurationFile withUnset(
      ConfigurationText text, Map<String, String> environment, FileProblems problems) {
    List<FileProblem> unset = new ArrayList<>();
    Map<String, String> variables = variables(text, environment);
    YamlValue.Table tree = new Variables(variables, problems, unset).putInto(tree(text, problems));
    return unchecked(withoutUnknownSettings(tree, problems), folder(text), problems, unset);
  }

  private static Map<String, String> variables(
      ConfigurationText text, Map<String, String> environment) {
    return VariableFile.under(environment, text.folder(), text.environment());
  }

  private static Path folder(ConfigurationText text) {
    Path folder = text.folder();
    return folder == null ? Path.of("").toAbsolutePath() : folder;
  }

  /** The settings whose variables are not set have their defaults. */
  private static YamlValue.Table withoutUnknownSettings(
      YamlValue.Table tree, FileProblems problems) {
    if (!(tree.find(SETTINGS) instanceof YamlValue.Table settings)) {
      return tree;
    }
    Map<String, YamlValue.Entry> known = new LinkedHashMap<>(settings.entries());
    known.keySet().removeIf(name -> problems.isAbout(SETTINGS + "." + name));
    Map<String, YamlValue.Entry> sections = new LinkedHashMap<>(tree.entries());
    sections.computeIfPresent(
        SETTINGS,
        (_, entry) ->
            new YamlValue.Entry(entry.at(), new YamlValue.Table(settings.place(), known)));
    return new YamlValue.Table(tree.place(), sections);
  }

  private static YamlValue.Table tree(ConfigurationText text, FileProblems problems) {
    YamlValue.Table tree = tree(text.file(), problems);
    ConfigurationText.Part overlay = text.overlay();
    return overlay == null ? tree : Overlay.merge(tree, tree(overlay, problems));
  }

  private static YamlValue.Table tree(ConfigurationText.Part part, FileProblems problems) {
    return YamlText.read(part.name(), part.text(), problems);
  }

  private static ConfigurationFile filled(
      YamlValue.Table tree,
      ConfigurationText text,
      Map<String, String> variables,
      FileProblems problems) {
    YamlValue.Table filled = new Variables(variables, problems).putInto(tree);
    ConfigurationFile read = unchecked(filled, folder(text), problems, List.of());
    problems.throwIfAny();
    return read;
  }

  /** Reads what {@link #toJson} wrote: nothing is left to be put in. */
  public static ConfigurationFile parseJson(JsonNode json) {
    if (!(JsonTree.value(json) instanceof YamlValue.Table table)) {
      throw new BadFile(
          new FileProblem(FilePosition.NONE, "", "must be a JSON object of sections"));
    }
    FileProblems problems = new FileProblems();
    ConfigurationFile read = unchecked(table, null, problems, List.of());
    problems.throwIfAny();
    return read;
  }

  /** Usable only if there are no problems. */
  private static ConfigurationFile unchecked(
      YamlValue.Table tree, @Nullable Path folder, FileProblems problems, List<FileProblem> unset) {
    YamlValue.Table checked = new Checker(folder, problems).check(tree, FileSchema.file());
    Document document;
    try (EvaluationServices evaluation = EvaluationServices.of(new SystemTime())) {
      document =
          new DocumentReader(
                  checked,
                  names(tree, "sources"),
                  names(tree, "handlers"),
                  names(tree, "workflows"),
                  evaluation,
                  problems)
              .read();
    }
    return new ConfigurationFile(checked, document, unset);
  }

  private static Set<String> names(YamlValue.Table tree, String section) {
    return tree.find(section) instanceof YamlValue.Table named
        ? new TreeSet<>(named.entries().keySet())
        : Set.of();
  }

  public Document document() {
    return document;
  }

  /** Everything put in, secrets too: for the way to the server only. */
  public String toJson() {
    return JsonTree.json(tree).toString();
  }

  /** Where a key such as {@code handlers.build.url} stands, as nearly as it is known. */
  public FilePosition placeOf(String key) {
    return nearest(tree, key).place();
  }

  /** As far as the key leads. */
  static YamlValue nearest(YamlValue at, String key) {
    return switch (at) {
      case YamlValue.Scalar _ -> at;
      case YamlValue.Items items -> {
        Matcher item = ITEM.matcher(key);
        int n = item.lookingAt() ? Integer.parseInt(item.group(1)) : items.values().size();
        yield n < items.values().size()
            ? nearest(items.values().get(n), key.substring(item.end()))
            : at;
      }
      case YamlValue.Table table -> {
        String name = named(table, key);
        YamlValue next = name == null ? null : table.find(name);
        yield next == null || name == null
            ? at
            : nearest(next, key.substring(name.length()).replaceFirst("^\\.", ""));
      }
    };
  }

  /** Names may have dots, as event types do, so the longest one that fits is meant. */
  private static @Nullable String named(YamlValue.Table table, String key) {
    return table.entries().keySet().stream()
        .filter(
            name -> key.equals(name) || key.startsWith(name + ".") || key.startsWith(name + "["))
        .max(Comparator.comparingInt(String::length))
        .orElse(null);
  }

  /** What may be meant and yet is worth a second look. */
  public List<FileProblem> warnings() {
    return Stream.concat(
            document.sources().stream()
                .filter(source -> !source.form().isCron())
                .flatMap(source -> warning(source).stream()),
            document.workflows().stream().flatMap(workflow -> workflow.warnings().stream()))
        .toList();
  }

  private Optional<FileProblem> warning(Document.NamedSource source) {
    if (source.form().verify().equals(SourceForm.NONE)) {
      return Optional.of(
          problem(
              source.key() + ".verify",
              "none: requests are not verified, and everyone who knows the URL can send; set a"
                  + " verification scheme if the sender supports one"));
    }
    return source.form().skipsVerification()
        ? Optional.of(problem(source.key() + ".options", SourceForm.SKIPS_VERIFICATION))
        : Optional.empty();
  }

  private FileProblem problem(String key, String text) {
    return new FileProblem(placeOf(key), key, text);
  }

  /** The variables that the file needs and that are not set, each with its place. */
  public List<FileProblem> unset() {
    return unset;
  }

  /** How many entries each section has. */
  public Map<String, Integer> counts() {
    Map<String, Integer> counts = new LinkedHashMap<>();
    tree.entries()
        .forEach(
            (section, entry) ->
                counts.put(
                    section,
                    switch (entry.value()) {
                      case YamlValue.Table table -> table.entries().size();
                      case YamlValue.Items items -> items.values().size();
                      case YamlValue.Scalar _ -> 0;
                    }));
    return counts;
  }

  /** The JSON of a call's body; throws {@link BadFile} if it is none. */
  public static ConfigurationFile parseJson(byte[] body) {
    try {
      return parseJson(Json.MAPPER.readTree(body));
    } catch (JacksonException e) {
      throw new BadFile(
          new FileProblem(FilePosition.NONE, "", "is not JSON: " + e.getOriginalMessage()));
    }
  }
}
