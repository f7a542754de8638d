package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Parallel and map. */
final class JoinRulesTest extends MachineTest {

  private static String map(String more) {
    return "[{name: 'm', type: 'map', items: 'items', steps: [{name: 'a', type: 'http'}], "
        + more
        + "}]";
  }

  @Test
  @DisplayName("results in item order")
  void resultsInItemOrder() {
    RunWorld run = world(map("max_concurrency: 3")).start("{\"items\":[1,2,3]}");
    List<Integer> all = run.all("a");
    run.on(RunWorld.answered(all.get(2), 200, "30"));
    run.on(RunWorld.answered(all.get(0), 200, "10"));
    run.on(RunWorld.answered(all.get(1), 200, "20"));
    assertThat(run.output()).isEqualTo("[10,20,30]");
  }

  @Test
  void answersOfOneTransitionAreJoinedOnce() {
    RunWorld run = world(map("max_concurrency: 3")).start("{\"items\":[1,2,3]}");
    List<Integer> all = run.all("a");
    RunEvent[] events =
        all.stream().map(seq -> RunWorld.answered(seq, 200, "" + seq)).toArray(RunEvent[]::new);
    run.on(events).on(events);
    assertThat(run.steps().stream().filter("completed m"::equals)).hasSize(1);
    assertThat(run.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("only max_concurrency (100) item rows live at a time")
  void atMostMaxConcurrencyLive() {
    StringBuilder items = new StringBuilder("{\"items\":[0");
    for (int i = 1; i < 1_000; i++) {
      items.append(',').append(i);
    }
    RunWorld run = world(map("max_concurrency: 100"));
    run.replays = false;
    run.start(items + "]}").settle();
    int done = 0;
    while (run.status() != RunStatus.COMPLETED) {
      assertThat(run.all("a").size()).isLessThanOrEqualTo(100);
      assertThat(run.state.json().length()).isLessThan(12_000);
      run.on(RunWorld.answered(run.all("a").getFirst(), 200, "" + done++)).settle();
    }
    assertThat(done).isEqualTo(1_000);
    assertThat(run.rows).hasSize(2_000 + 5);
    assertThat(RunState.replay(run.definition, run.rows)).isEqualTo(run.state);
  }

  @Test
  @DisplayName("an empty array is an empty result")
  void anEmptyArrayIsAnEmptyResult() {
    assertThat(world(map("max_concurrency: 3")).start("{\"items\":[]}").output()).isEqualTo("[]");
  }

  @Test
  @DisplayName("Map: ≤ 10,000 items")
  void tooManyItems() {
    RunWorld run = world(map("max_concurrency: 3"));
    run.limits = new Facts.Limits(1_000, 1_000, 1_000, 2, 200);
    run.start("{\"items\":[1,2,3]}");
    assertThat(run.error().type()).isEqualTo("limit");
    assertThat(run.error().message()).contains("3 items", "at most 2");
  }

  @Test
  @DisplayName("on_item_failure: fail | collect (the error takes its index)")
  void collect() {
    RunWorld run = world(map("on_item_failure: 'collect'")).start("{\"items\":[1,2]}");
    run.on(RunWorld.answered(run.all("a").get(0), 500, ""));
    run.on(RunWorld.answered(run.all("a").getFirst(), 200, "2"));
    assertThat(run.output())
        .startsWith("[{\"class\":\"5xx\"")
        .contains("\"index\":0")
        .endsWith(",2]");
  }

  @Test
  @DisplayName("the joined result counts against max_data")
  void theJoinCountsAgainstMaxData() {
    RunWorld run = world(map("max_concurrency: 3"));
    run.limits = new Facts.Limits(30, 1_000, 1_000, 10, 200);
    run.start("{\"items\":[1,2,3]}");
    run.on(RunWorld.answered(run.all("a").get(0), 200, "\"0123456789012345\""));
    run.on(RunWorld.answered(run.all("a").get(0), 200, "\"0123456789012345\"")).settle();
    run.withdraw(RunEvent.Withdrawn.How.UNTRIED);
    assertThat(run.error().type()).isEqualTo("too_large");
    assertThat(run.steps()).endsWith("skipped a");
  }

  @Test
  void itemsHaveTheItemAsTheirDataAndVariables() {
    RunWorld run =
        world(
                """
                [{name: 'm', type: 'map', items: 'items', steps: [
                   {name: 'a', type: 'transform', expression: '{"d": $, "i": $item.n, "at": $index, "in": $input.items[0].n}'}]}]\
                """)
            .start("{\"items\":[{\"n\":7}]}");
    assertThat(run.output()).isEqualTo("[{\"d\":{\"n\":7},\"i\":7,\"at\":0,\"in\":7}]");
  }

  @Test
  void aRequestOfAnItemStoresTheItem() {
    RunWorld run = world(map("max_concurrency: 1")).start("{\"items\":[{\"n\":7}]}");
    RunEffect.Call call = run.calls.get(run.live("a"));
    assertThat(run.value(call.body()).json()).isEqualTo("{\"n\":7}");
  }

  @Test
  @DisplayName("parallel: object by branch name; each branch begins with the input of the step")
  void parallel() {
    RunWorld run =
        world(
                """
                [{name: 'p', type: 'parallel', input: '{"v": 2}', result_path: '$.both', branches: [
                   {name: 'x', steps: [{name: 'a', type: 'transform', expression: 'v + 1'}]},
                   {name: 'y', steps: [{name: 'b', type: 'choice', choices: [{when: 'true', next: 'c'}]},
                                       {name: 'c', type: 'succeed'}]}]}]\
                """)
            .start("{\"k\":1}");
    assertThat(run.output()).isEqualTo("{\"k\":1,\"both\":{\"x\":3,\"y\":{\"v\":2}}}");
  }

  @Test
  void nestedMapsFinishAlthoughLiveStepsAreFew() {
    RunWorld run =
        world(
            """
            [{name: 'm', type: 'map', items: '[1..4]', steps: [
               {name: 'n', type: 'map', items: '[1..4]', steps: [
                  {name: 'o', type: 'map', items: '[1..4]', steps: [{name: 'a', type: 'http'}]}]}]}]\
            """);
    run.limits = new Facts.Limits(100_000, 10_000, 5, 100, 50);
    run.start("{}").settle();
    int answers = 0;
    while (!run.status().isEnded()) {
      assertThat(run.state.live().size()).isLessThan(12);
      run.on(RunWorld.answered(run.all("a").getFirst(), 200, "1")).settle();
      answers++;
    }
    assertThat(answers).isEqualTo(64);
  }
}
