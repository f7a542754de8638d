package dev.postrider.api.http;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the action of a method and path: a tree by path segment, where a variable such as {@code
 * {application}} takes any one segment.
 */
public final class Router {
  /** More are possible, and rare. */
  private static final int USUAL_VARIABLES = 4;

  private final Node root = new Node();
  private final Map<String, String> aliases = new TreeMap<>();
  private String area = "";

  /**
   * A route.
   *
   * @param area the part of the API that registered it
   * @param variables the names of the path's variables, in order
   */
  public record Route(
      String area,
      String method,
      String path,
      Scope scope,
      Action action,
      Set<RouteAttribute> attributes,
      List<String> variables) {
    public boolean has(RouteAttribute attribute) {
      return attributes.contains(attribute);
    }
  }

  /**
   * The result of looking up a path and a method.
   *
   * @param route null if there is none
   * @param values the path segments that match the variables, in order
   * @param allowed the methods that the path supports
   */
  public record Match(@Nullable Route route, List<String> values, List<String> allowed) {
    static final Match NONE = new Match(null, List.of(), List.of());
  }

  private static final class Node {
    final Map<String, Node> fixed = new HashMap<>();
    final Map<String, Route> routes = new TreeMap<>();
    List<String> methods = List.of();
    @Nullable Node variable;

    Node variable() {
      if (variable == null) {
        variable = new Node();
      }
      return variable;
    }
  }

  /** Lets an area register its routes. */
  public Router add(ApiArea added) {
    area = added.name();
    added.register(this);
    return this;
  }

  public void get(String path, Scope scope, Action action, RouteAttribute... attributes) {
    add("GET", path, scope, action, attributes);
  }

  public void post(String path, Scope scope, Action action, RouteAttribute... attributes) {
    add("POST", path, scope, action, attributes);
  }

  public void put(String path, Scope scope, Action action, RouteAttribute... attributes) {
    add("PUT", path, scope, action, attributes);
  }

  public void patch(String path, Scope scope, Action action, RouteAttribute... attributes) {
    add("PATCH", path, scope, action, attributes);
  }

  public void delete(String path, Scope scope, Action action, RouteAttribute... attributes) {
    add("DELETE", path, scope, action, attributes);
  }

  /**
   * @throws IllegalStateException if there is a route for this method and path; the names of
   *     variables make no difference
   */
  public void add(
      String method, String path, Scope scope, Action action, RouteAttribute... attributes) {
    Set<RouteAttribute> all = EnumSet.noneOf(RouteAttribute.class);
    all.addAll(List.of(attributes));
    Node node = root;
    List<String> variables = new ArrayList<>();
    for (String segment : segments(path)) {
      if (segment.startsWith("{") && segment.endsWith("}")) {
        variables.add(segment.substring(1, segment.length() - 1));
        node = node.variable();
      } else {
        node = node.fixed.computeIfAbsent(segment, _ -> new Node());
      }
    }
    Route route = new Route(area, method, path, scope, action, all, List.copyOf(variables));
    Route other = node.routes.putIfAbsent(method, route);
    if (other != null) {
      throw new IllegalStateException(
          "%s %s is registered twice, the first time as %s".formatted(method, path, other.path()));
    }
    node.methods = List.copyOf(node.routes.keySet());
  }

  /**
   * Makes all paths that begin with {@code alias} equal to the paths that begin with {@code prefix}
   * instead: the same routes and variables.
   *
   * @throws IllegalStateException if a path already begins with {@code alias}
   */
  public void alias(String alias, String prefix) {
    Node target = root;
    for (String segment : segments(prefix)) {
      target = requireNonNull(target.fixed.get(segment), prefix + " has no routes");
    }
    List<String> segments = segments(alias);
    Node node = root;
    for (String segment : segments.subList(0, segments.size() - 1)) {
      node = node.fixed.computeIfAbsent(segment, _ -> new Node());
    }
    if (node.fixed.putIfAbsent(segments.getLast(), target) != null) {
      throw new IllegalStateException(alias + " has routes and cannot be an alias of " + prefix);
    }
    aliases.put(alias, prefix);
  }

  /** The prefixes of paths that stand for another prefix. */
  public Map<String, String> aliases() {
    return Collections.unmodifiableMap(aliases);
  }

  /** All routes, in the order of their paths. */
  public List<Route> routes() {
    Set<Route> all = new HashSet<>(); // those below an alias are found twice
    collect(root, all);
    return all.stream()
        .sorted(Comparator.comparing(Route::path).thenComparing(Route::method))
        .toList();
  }

  private static void collect(Node node, Set<Route> all) {
    all.addAll(node.routes.values());
    node.fixed.values().forEach(child -> collect(child, all));
    if (node.variable != null) {
      collect(node.variable, all);
    }
  }

  /** A fixed segment is preferred to a variable, unless that way has no such method. */
  public Match find(String method, String rawPath) {
    return new Search(method, rawPath).from(root, rawPath.startsWith("/") ? 1 : 0);
  }

  /** One lookup; it goes no deeper than the tree. */
  private static final class Search {
    private final String method;
    private final String path;
    private final List<String> values = new ArrayList<>(USUAL_VARIABLES);

    Search(String method, String path) {
      this.method = method;
      this.path = path;
    }

    /** A trailing slash makes no difference. */
    Match from(Node node, int start) {
      if (start >= path.length()) {
        return new Match(node.routes.get(method), values, node.methods);
      }
      int slash = path.indexOf('/', start);
      int end = slash < 0 ? path.length() : slash;
      String segment = path.substring(start, end);
      Node fixed = node.fixed.get(segment);
      Match match = fixed == null ? Match.NONE : from(fixed, end + 1);
      Node any = node.variable;
      if (match.route() != null || any == null) {
        return match;
      }
      String value = PathText.decode(segment);
      if (value == null) {
        return match;
      }
      values.add(value);
      Match other = from(any, end + 1);
      if (other.route() == null) {
        values.removeLast();
      }
      return other.route() != null || match.allowed().isEmpty() ? other : match;
    }
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
