package dev.postrider.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Markdown file of the repository, line by line. Fenced code is marked. */
record MarkdownPage(Path file, List<Line> lines) {
  private static final Set<String> NOT_DOCUMENTS =
      Set.of(".git", "target", "node_modules", "postrider-data");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern CODE_SPAN = Pattern.compile("`[^`]*`");
  private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");
  private static final Pattern EXPLICIT_ANCHOR = Pattern.compile("<a (?:id|name)=\"([^\"]+)\"");

  record Line(int number, String text, boolean code) {
    /** The line without code spans and without the targets of its links. */
    String prose() {
      return code ? "" : LINK.matcher(CODE_SPAN.matcher(text).replaceAll("")).replaceAll("]");
    }

    boolean table() {
      return text.stripLeading().startsWith("|");
    }
  }

  /** All pages of the repository that git would track, sorted by path. */
  static List<MarkdownPage> all() {
    Set<Path> files = new TreeSet<>();
    try {
      Files.walkFileTree(
          root(),
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
              return NOT_DOCUMENTS.contains(folder.getFileName().toString())
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              if (file.toString().endsWith(".md")) {
                files.add(file);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files.stream().map(MarkdownPage::read).toList();
  }

  static Path root() {
    return Path.of(System.getProperty("basedir", ".")).toAbsolutePath().normalize().getParent();
  }

  static MarkdownPage read(Path file) {
    try {
      return new MarkdownPage(file, parse(Files.readAllLines(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Line> parse(List<String> texts) {
    List<Line> lines = new ArrayList<>();
    boolean fenced = false;
    for (int i = 0; i < texts.size(); i++) {
      boolean fence = texts.get(i).stripLeading().startsWith("```");
      lines.add(new Line(i + 1, texts.get(i), fenced || fence));
      fenced ^= fence;
    }
    return List.copyOf(lines);
  }

  /** The path from the root of the repository. */
  String name() {
    return root().relativize(file).toString();
  }

  String at(Line line) {
    return name() + ":" + line.number() + ": ";
  }

  /** The targets of the links of a line that point into the repository. */
  static List<String> relativeLinks(Line line) {
    List<String> targets = new ArrayList<>();
    if (!line.code()) {
      Matcher link = LINK.matcher(CODE_SPAN.matcher(line.text()).replaceAll("code"));
      while (link.find()) {
        String target = link.group(1);
        if (!target.matches("[a-z]+:.*")) {
          targets.add(target);
        }
      }
    }
    return targets;
  }

  /** The anchors of the headings, as GitHub derives them. */
  Set<String> anchors() {
    Set<String> anchors = new TreeSet<>();
    Map<String, Integer> seen = new HashMap<>();
    for (Line line : lines) {
      Matcher heading = HEADING.matcher(line.text());
      if (!line.code() && heading.matches()) {
        String slug = slug(heading.group(1));
        int repeats = seen.merge(slug, 1, Integer::sum) - 1;
        anchors.add(repeats == 0 ? slug : slug + "-" + repeats);
      }
      Matcher explicit = EXPLICIT_ANCHOR.matcher(line.text());
      while (explicit.find()) {
        anchors.add(explicit.group(1));
      }
    }
    return anchors;
  }

  private static String slug(String heading) {
    return heading
        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N} _-]", "")
        .replace(' ', '-');
  }
}
