package dev.postrider.workflow.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random definitions, as text for {@link Definitions}. Their expressions are those of {@link
 * RandomRuns#evaluate}.
 */
final class RandomDefinitions {
  private final Random random;
  private int names;
  private int handlers;

  private RandomDefinitions(long seed) {
    this.random = new Random(seed);
  }

  static String of(long seed) {
    return new RandomDefinitions(seed).text();
  }

  private String text() {
    handlers = random.nextInt(3);
    String steps = list(0);
    StringBuilder text = new StringBuilder("{timeout: '2h', max_visits: 4, steps: ").append(steps);
    if (handlers > 0) {
      text.append(", handlers: [");
      for (int i = 0; i < handlers; i++) {
        text.append(i == 0 ? "" : ", ").append(handler(i));
      }
      text.append(']');
      if (chance(60)) {
        text.append(", finally: 'h").append(random.nextInt(handlers)).append('\'');
      }
      if (chance(20)) {
        text.append(", compensation_timeout: '1s'");
      }
    }
    return text.append('}').toString();
  }

  private String handler(int number) {
    String head = "{name: 'h" + number + "', type: ";
    return switch (random.nextInt(6)) {
      case 0 -> head + "'transform', expression: 'ctx'}";
      case 1 -> head + "'transform', expression: 'boom'}";
      case 2 -> head + "'wait', duration: '1s'}";
      case 3 -> head + "'http', on_failure: 'continue'}";
      case 4 -> head + "'http', timeout: '10m'}";
      default -> head + "'http', retry: {max: 1}}";
    };
  }

  private String list(int depth) {
    int length = 1 + random.nextInt(depth == 0 ? 4 : 3);
    List<String> own = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      own.add("s" + names++);
    }
    StringBuilder list = new StringBuilder("[");
    for (int i = 0; i < length; i++) {
      list.append(i == 0 ? "" : ", ").append(step(own, i, depth));
    }
    return list.append(']').toString();
  }

  private String step(List<String> own, int at, int depth) {
    StringBuilder step = new StringBuilder("{name: '" + own.get(at) + "', ");
    int kind = random.nextInt(depth < 3 ? 22 : 16);
    boolean ends = false;
    if (kind < 6) {
      step.append("type: 'http'");
      option(step, 40, ", retry: {max: 2}");
      option(step, 30, ", timeout: '5m'");
      option(step, 15, ", body: '" + expression() + "'");
    } else if (kind < 8) {
      step.append("type: 'choice', choices: [{when: '")
          .append(chance(50) ? "true" : chance(80) ? "false" : "boom")
          .append("', next: '")
          .append(own.get(random.nextInt(own.size())))
          .append("'}]");
      option(step, 70, ", default: '" + own.get(own.size() - 1) + "'");
      return step.append('}').toString();
    } else if (kind == 8) {
      step.append("type: 'transform', expression: '").append(expression()).append('\'');
    } else if (kind == 9) {
      step.append("type: 'wait', duration: '").append(1 + random.nextInt(100)).append("s'");
    } else if (kind == 10) {
      step.append("type: 'wait', expression: '").append(chance(80) ? "7" : "ctx").append('\'');
    } else if (kind < 13) {
      step.append("type: 'callback', timeout: '3m'");
      option(step, 60, ", url: 'https://people.example.com/ask'");
      option(step, 30, ", retry: {max: 1}");
    } else if (kind == 13) {
      step.append("type: 'workflow', workflow: 'other'");
      option(step, 40, ", retry: {max: 1}");
      option(step, 30, ", timeout: '4m'");
    } else if (kind == 14) {
      step.append("type: 'send'");
    } else if (kind == 15) {
      ends = true;
      step.append(chance(50) ? "type: 'succeed'" : "type: 'fail', error: 'wrong'");
    } else if (kind < 19) {
      step.append("type: 'parallel', branches: [");
      int branches = 1 + random.nextInt(3);
      for (int i = 0; i < branches; i++) {
        step.append(i == 0 ? "" : ", ")
            .append("{name: 'b" + i + "', steps: ")
            .append(list(depth + 1))
            .append('}');
      }
      step.append(']');
      option(step, 20, ", timeout: '6m'");
    } else {
      step.append("type: 'map', items: '")
          .append(chance(90) ? "items " + random.nextInt(5) : "ctx")
          .append("', max_concurrency: ")
          .append(1 + random.nextInt(3))
          .append(", steps: ")
          .append(list(depth + 1));
      option(step, 40, ", on_item_failure: 'collect'");
      option(step, 20, ", timeout: '6m'");
    }
    if (!ends) {
      boolean inline = kind == 8 || kind == 14;
      option(step, 20, ", catch: [{errors: ['" + error() + "'], next: '" + target(own, at) + "'}]");
      option(step, 15, ", on_failure: 'continue'");
      option(step, 10, ", input: '" + expression() + "'");
      option(step, 10, ", output: '" + expression() + "'");
      option(step, 25, ", result_path: " + (chance(50) ? "null" : "'$.r'"));
      if (handlers > 0) {
        option(step, inline ? 20 : 40, ", compensate: 'h" + random.nextInt(handlers) + "'");
      }
      option(step, 10, ", end: true");
    }
    return step.append('}').toString();
  }

  /** Later steps only, so that most runs end soon; sometimes an earlier one. */
  private String target(List<String> own, int at) {
    int from = chance(85) ? Math.min(at + 1, own.size() - 1) : 0;
    return own.get(from + random.nextInt(own.size() - from));
  }

  private String error() {
    return switch (random.nextInt(5)) {
      case 0 -> "timeout";
      case 1 -> "5xx";
      case 2 -> "callback_expired";
      case 3 -> "expression";
      default -> "all";
    };
  }

  private String expression() {
    return switch (random.nextInt(8)) {
      case 0 -> "boom";
      case 1 -> "3";
      case 2 -> "items 2";
      default -> "ctx";
    };
  }

  private void option(StringBuilder step, int percent, String text) {
    if (chance(percent)) {
      step.append(text);
    }
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }
}
