package dev.postrider.workflow.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.workflow.definition.Definition;
import dev.postrider.workflow.diagram.DiagramModel;
import dev.postrider.workflow.diagram.MermaidText;
import dev.postrider.workflow.diagram.RunPath;
import dev.postrider.workflow.diagram.SvgPicture;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/**
 * Pictures of a definition and of a run, compared with files; {@code -Dwire.snapshot=write} writes
 * them again.
 */
final class DiagramTest extends MachineTest {
  private static final Path SNAPSHOTS = Path.of("src", "test", "resources", "workflow");

  private static final Definition ORDER =
      Definitions.of(
          """
          {steps: [
             {name: 'reserve', type: 'http', result_path: '$.reservation', compensate: 'release'},
             {name: 'size', type: 'choice', choices: [{when: 'total > 1000', next: 'approve'}], default: 'pack'},
             {name: 'approve', type: 'callback', catch: [{errors: ['callback_expired'], next: 'reject'}]},
             {name: 'pack', type: 'map', items: 'lines', steps: [
                {name: 'pick', type: 'http'},
                {name: 'both', type: 'parallel', branches: [
                   {name: 'label', steps: [{name: 'print', type: 'http'}]},
                   {name: 'bill', steps: [{name: 'note', type: 'transform', expression: '1'}]}]}]},
             {name: 'charge', type: 'http', end: true},
             {name: 'reject', type: 'fail', error: 'not_approved'}],
           handlers: [{name: 'release', type: 'http'}, {name: 'report', type: 'send'}], finally: 'report'}\
          """);

  private DiagramModel ofRun() {
    RunWorld run = world(ORDER).start("{\"total\": 5, \"lines\": [1, 2]}").ok("reserve", "{}");
    run.on(RunWorld.answered(run.all("pick").getFirst(), 500, "")).settle();
    run.withdraw(RunEvent.Withdrawn.How.UNTRIED);
    run.ok("release", "");
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    return DiagramModel.of(ORDER, RunPath.of(run.rows));
  }

  @Test
  void drawsADefinition() throws IOException {
    DiagramModel model = DiagramModel.of(ORDER, RunPath.NONE);
    compare("order.mmd", MermaidText.of(model));
    compare("order.svg", SvgPicture.of(model));
  }

  @Test
  void drawsTheRun() throws IOException {
    compare("order-run.mmd", MermaidText.of(ofRun()));
    compare("order-run.svg", SvgPicture.of(ofRun()));
  }

  @Test
  void textsCannotEscape() throws Exception {
    DiagramModel model =
        DiagramModel.of(
            Definitions.ofSteps(
                """
                [{name: 'a', type: 'choice', choices: [{when: 'a < "</svg><script>" & b]', next: 'b'}]},
                 {name: 'b', type: 'succeed'}]\
                """),
            RunPath.NONE);
    assertThat(MermaidText.of(model)).doesNotContain("<script>").doesNotContain("b]\"");
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(SvgPicture.of(model).getBytes(StandardCharsets.UTF_8)));
    assertThat(document.getElementsByTagName("script").getLength()).isZero();
    assertThat(document.getElementsByTagName("rect").getLength()).isEqualTo(2);
  }

  private static void compare(String name, String text) throws IOException {
    Path file = SNAPSHOTS.resolve(name);
    if ("write".equals(System.getProperty("wire.snapshot"))) {
      Files.createDirectories(SNAPSHOTS);
      Files.writeString(file, text);
    }
    assertThat(text).isEqualTo(Files.readString(file));
  }
}
