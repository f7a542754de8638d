package dev.postrider.api;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the action of a method and path: a tree by path segment, where {@code {}} takes any one.
 */
final class Router {
  private static final String ANY = "{}";
  private static final int MAX_SEGMENTS = 16;

  private final Node root = new Node();

  /**
   * What a route does and for whom.
   *
   * @param secret the answer holds a key, a token or a signing secret
   */
  record Route(String method, String path, Scope scope, Action action, boolean secret) {}

  /**
   * @param route null if there is none
   * @param parameters the segments that {@code {}} took, in order
   * @param allowed the methods that the path has
   */
  record Match(@Nullable Route route, List<String> parameters, List<String> allowed) {
    static final Match NONE = new Match(null, List.of(), List.of());
  }

  private static final class Node {
    final Map<String, Node> children = new HashMap<>();
    final Map<String, Route> routes = new TreeMap<>();
  }

  Router add(String method, String path, Scope scope, Action action) {
    return add(new Route(method, path, scope, action, false));
  }

  /** A route whose answer holds a key, a token or a signing secret. */
  Router addSecret(String method, String path, Scope scope, Action action) {
    return add(new Route(method, path, scope, action, true));
  }

  private Router add(Route route) {
    Node node = root;
    for (String segment : segments(route.path())) {
      node = node.children.computeIfAbsent(segment, _ -> new Node());
    }
    if (node.routes.put(route.method(), route) != null) {
      throw new IllegalStateException("two routes for " + route.method() + " " + route.path());
    }
    return this;
  }

  /** All routes, in the order of their paths. */
  List<Route> routes() {
    List<Route> all = new ArrayList<>();
    collect(root, all);
    all.sort(Comparator.comparing(Route::path).thenComparing(Route::method));
    return all;
  }

  private static void collect(Node node, List<Route> all) {
    all.addAll(node.routes.values());
    node.children.values().forEach(child -> collect(child, all));
  }

  /** A fixed segment is preferred to {@code {}}, unless that way has no such method. */
  Match find(String method, String rawPath) {
    List<String> segments = segments(rawPath);
    if (segments.size() > MAX_SEGMENTS) {
      return Match.NONE;
    }
    return find(root, segments, 0, method, List.of());
  }

  private static Match find(
      Node node, List<String> segments, int at, String method, List<String> parameters) {
    if (at == segments.size()) {
      return new Match(node.routes.get(method), parameters, List.copyOf(node.routes.keySet()));
    }
    String segment = segments.get(at);
    Node fixed = node.children.get(segment);
    Match match = fixed == null ? Match.NONE : find(fixed, segments, at + 1, method, parameters);
    Node any = node.children.get(ANY);
    if (match.route() != null || any == null) {
      return match;
    }
    String parameter = PathText.decode(segment);
    if (parameter == null) {
      return match;
    }
    List<String> more = new ArrayList<>(parameters);
    more.add(parameter);
    Match other = find(any, segments, at + 1, method, more);
    return other.route() != null || match.allowed().isEmpty() ? other : match;
  }

  /** The parts between slashes; a trailing slash makes no difference. */
  private static List<String> segments(String path) {
    List<String> segments = new ArrayList<>(8);
    int from = path.startsWith("/") ? 1 : 0;
    while (from < path.length()) {
      int slash = path.indexOf('/', from);
      int to = slash < 0 ? path.length() : slash;
      segments.add(path.substring(from, to));
      from = to + 1;
    }
    return segments;
  }
}
