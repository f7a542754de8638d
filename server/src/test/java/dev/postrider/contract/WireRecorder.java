package dev.postrider.contract;

import dev.postrider.contract.World.Answer;
import dev.postrider.json.Json;
import dev.postrider.testkit.Receiver;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Keeps what every answer looks like, by operation and status, for the snapshot of the wire. */
final class WireRecorder {
  private static final Set<String> VOLATILE = Set.of("date");
  private static final Set<String> WITH_VALUE = Set.of("connection", "content-type");
  private static final Pattern SAMPLE = Pattern.compile("([\\w:]+)(?:\\{(.*)})? \\S+");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

  /** All answers of one operation with one status. */
  private static final class Answers {
    int count;
    final SortedMap<String, Integer> headers = new TreeMap<>();
    final Shape body = new Shape();

    /** {@code ?} follows a header that some of the answers do not have. */
    String headers() {
      return headers.entrySet().stream()
          .map(header -> " " + header.getKey() + (header.getValue() < count ? "?" : ""))
          .collect(Collectors.joining());
    }
  }

  private final Map<String, Answers> answers = new TreeMap<>();
  private final SortedSet<String> facts = new TreeSet<>();

  /**
   * @param route an operation id, or method and path where there is no operation
   */
  void add(String route, Answer answer) {
    String what = route + " " + answer.status();
    Answers all = answers.computeIfAbsent(what, _ -> new Answers());
    all.count++;
    for (Map.Entry<String, List<String>> header : answer.headers().map().entrySet()) {
      String name = header.getKey();
      if (!VOLATILE.contains(name)) {
        String value = WITH_VALUE.contains(name) ? "=" + header.getValue().getFirst() : "";
        all.headers.merge(name + value, 1, Integer::sum);
      }
    }
    if (!answer.json().isMissingNode()) {
      all.body.add(answer.json());
    } else {
      all.body.add(answer.body().isEmpty() ? "empty" : "not JSON");
    }
    if (answer.status() >= 400 && answer.json().path("code").isString()) {
      facts.add(what + " code " + answer.text("/code"));
    }
    if (answer.contentType().startsWith("text/plain; version=")) {
      metrics(answer.body());
    }
  }

  /** The format of Prometheus. */
  private void metrics(String text) {
    String type = "";
    for (String line : text.lines().toList()) {
      Matcher sample = SAMPLE.matcher(line);
      if (line.startsWith("# TYPE ")) {
        type = line.substring(line.lastIndexOf(' ') + 1);
      } else if (sample.matches()) {
        String labels = sample.group(2) == null ? "" : sample.group(2);
        facts.add(
            LABEL
                .matcher(labels)
                .results()
                .map(label -> label.group(1))
                .sorted()
                .collect(
                    Collectors.joining(",", "metric " + sample.group(1) + " " + type + " {", "}")));
      }
    }
  }

  /** A request that the server made. */
  void sent(String what, Receiver.Request request) {
    SortedSet<String> names = new TreeSet<>(request.headers().keySet());
    names.removeAll(VOLATILE);
    facts.add("sent " + what + " headers " + String.join(" ", names));
    Shape body = new Shape();
    body.add(Json.MAPPER.readTree(request.body()));
    body.describe("sent " + what + " body", facts::add);
  }

  SortedSet<String> facts() {
    SortedSet<String> all = new TreeSet<>(facts);
    answers.forEach(
        (what, seen) -> {
          all.add(what + " headers" + seen.headers());
          // Errors have a few small shapes in common: one line for each is enough.
          if (what.matches(".* [45]..")) {
            all.add(what + " body: " + seen.body);
          } else {
            seen.body.describe(what + " body", all::add);
          }
        });
    return all;
  }
}
