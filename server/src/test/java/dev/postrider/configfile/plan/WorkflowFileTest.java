package dev.postrider.configfile.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.configfile.BadFile;
import dev.postrider.configfile.ConfigurationFile;
import dev.postrider.configfile.ConfigurationText;
import dev.postrider.configfile.Document;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.engine.services.StorageServices;
import dev.postrider.evaluation.EvaluationLimits;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.ExpressionLimits;
import dev.postrider.expression.JsonataExpressions;
import dev.postrider.inbound.compiled.SourceCompiler;
import dev.postrider.inbound.verify.Verifiers;
import dev.postrider.inbound.verify.provider.SnsCertificates;
import dev.postrider.json.Json;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.time.SystemTime;
import dev.postrider.workflow.Workflows;
import dev.postrider.workflow.store.WorkflowStore.Workflow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** What applying a file does to workflows. */
@OnEachDatabase
final class WorkflowFileTest {
  private static final String ENVIRONMENT = Environment.DEFAULT_ID;
  private static final String ORDER =
      """
      sources: { shop: { verify: none } }
      workflows:
        order:
          source: shop
          secrets: { PAY: one }
          steps:
            - { name: reserve, type: http, url: https://stock.example.com }
            - { name: charge, type: http, url: https://pay.example.com, headers: { authorization: '{{secrets.PAY}}' } }
      """;

  @Parameter Databases.Kind kind;
  @TempDir Path folder;

  private final Evaluator evaluator = new Evaluator(EvaluationLimits.DEFAULT, new SystemTime());
  private Database database;
  private Configurator configurator;
  private Workflows workflows;

  @BeforeEach
  void start() {
    database = kind.open(folder);
    SystemTime time = new SystemTime();
    Fixture stores = new Fixture(database, time);
    stores.environments.ensureDefault();
    StorageServices storage =
        new StorageServices(
            database,
            stores.keyring,
            stores.ids,
            time,
            stores.signingKeys,
            CommitWatermark.alone(stores.ids, time));
    SourceCompiler sources =
        new SourceCompiler(
            new Verifiers(
                new SnsCertificates(
                    url -> {
                      throw new IOException("none here: " + url);
                    },
                    Set.of())),
            new JsonataExpressions(ExpressionLimits.DEFAULT, evaluator, time),
            evaluator);
    configurator =
        new Configurator(
            storage,
            stores.random,
            new Configurator.Rules(
                (_, url) -> url.contains("10.0.0.1") ? "10.0.0.1 is a private address" : null,
                sources,
                EndpointStore.DEFAULT_MAX_ACTIVE),
            stores.events);
    workflows = new Workflows(database, stores.keyring, stores.applications, stores.ids, time);
  }

  @AfterEach
  void stop() {
    database.close();
    evaluator.close();
  }

  private static Document document(String yaml) {
    ConfigurationText text =
        new ConfigurationText(new ConfigurationText.Part("test", yaml), null, null, null);
    String sent = ConfigurationFile.read(text, Map.of()).toJson();
    return ConfigurationFile.parseJson(Json.MAPPER.readTree(sent)).document();
  }

  private Plan apply(String yaml) {
    return configurator.apply(
        ENVIRONMENT, document(yaml), new Terms("test", false, Terms.Takeover.NOTHING), "test");
  }

  private Workflow order() {
    return Objects.requireNonNull(workflows.find(ENVIRONMENT, "order"));
  }

  @Test
  void aFileCreatesChangesAndDeletesAWorkflow() {
    assertThat(apply(ORDER).changes()).extracting(Change::name).contains("order");
    assertThat(order().version()).isEqualTo(1);

    assertThat(apply(ORDER).changes()).as("unchanged content makes no version").isEmpty();

    Plan changed =
        apply(ORDER.replace("https://stock.example.com", "https://stock.example.com/new"));
    assertThat(changed.changes())
        .singleElement()
        .satisfies(
            change ->
                assertThat(change.fields())
                    .containsExactly(
                        new Change.Field("steps", "reserve, charge", "reserve (changed), charge")));
    assertThat(order().version()).isEqualTo(2);

    apply("sources: { shop: { verify: none } }\n");
    assertThat(workflows.find(ENVIRONMENT, "order")).isNull();

    apply(ORDER);
    assertThat(order().version()).as("numbers go on").isEqualTo(3);
  }

  @Test
  void aSecretChangesWithoutAVersion() {
    apply(ORDER);
    Plan changed = apply(ORDER.replace("PAY: one", "PAY: two"));
    assertThat(changed.changes())
        .singleElement()
        .satisfies(
            change ->
                assertThat(change.fields())
                    .containsExactly(new Change.Field("secrets", "(hidden)", "(changed)")));
    assertThat(order().version()).isEqualTo(1);
    assertThat(workflows.hasOtherSecrets(order(), Map.of("PAY", "two"))).isFalse();
    assertThat(workflows.hasOtherSecrets(order(), Map.of("PAY", "one"))).isTrue();
  }

  @Test
  void aPrivateAddressIsRefusedWithItsStep() {
    assertThatThrownBy(() -> apply(ORDER.replace("pay.example.com", "10.0.0.1")))
        .isInstanceOf(BadFile.class)
        .hasMessageContaining("workflows.order.steps[1].url: 10.0.0.1 is a private address");
  }

  @Test
  void anUnknownApplicationIsRefused() {
    assertThatThrownBy(
            () ->
                apply(
                    "workflows: { order: { application: acme, steps: [{ name: a, type: succeed }] }"
                        + " }"))
        .isInstanceOf(BadFile.class)
        .hasMessageContaining(
            "the application acme does not exist; add applications: { acme: {} }");
    assertThat(
            apply(
                    "applications: { acme: {} }\n"
                        + "workflows: { order: { application: acme, steps: [{ name: a, type:"
                        + " succeed }] } }")
                .changes())
        .extracting(Change::name)
        .contains("order");
  }
}
