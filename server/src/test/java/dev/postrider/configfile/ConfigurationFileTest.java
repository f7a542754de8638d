package dev.postrider.configfile;

import static dev.postrider.endpoint.EndpointFields.FILTER;
import static dev.postrider.endpoint.EndpointFields.INITIAL_DELAY_MS;
import static dev.postrider.endpoint.EndpointFields.RETRY_POLICY;
import static dev.postrider.endpoint.EndpointFields.SUBSCRIPTIONS;
import static dev.postrider.endpoint.EndpointFields.UID;
import static dev.postrider.endpoint.EndpointFields.URL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.postrider.endpoint.AgentRoute;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.verify.verifier.SourceSecret;
import dev.postrider.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the text of a file to a document, or to problems that name line, key and fix. */
class ConfigurationFileTest {
  private static final String ISSUE =
      """
      sources:
        github: { verify: github, secret: "${GITHUB_SECRET}" }
      handlers:
        build:  { source: github, events: [push, "pull_request.*"], url: https://ci.example.com/hook, filter: 'payload.ref = "refs/heads/main"' }
      routes:
        - { source: github, event: push, agent_intent: review-code, target_session: session-42 }
      queues:
        audit:  { source: github, events: ["*"], visibility_timeout: 30s }
      """;

  private final Map<String, String> environment = new HashMap<>();
  @TempDir Path folder;

  private Path write(String name, String text) {
    try {
      return Files.writeString(folder.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Document read(String text) {
    return ConfigurationFile.read(write("postrider.yaml", text), null, environment).document();
  }

  /** The problems without the folder's name. */
  private List<String> problems(String text) {
    BadFile bad = catchThrowableOfType(BadFile.class, () -> read(text));
    assertThat(bad).as("the file is bad").isNotNull();
    return bad.lines().stream().map(line -> line.replace(folder + "/", "")).toList();
  }

  @Test
  void theFileOfTheIssueIsRead() {
    environment.put("GITHUB_SECRET", "s3cret");
    Document document = read(ISSUE);
    assertThat(document.sources()).extracting(Document.NamedSource::name).containsExactly("github");
    Document.Receiver build = document.handlers().getFirst();
    assertThat(build.application()).isEqualTo("github");
    assertThat(build.spec().get(UID)).isEqualTo("build");
    assertThat(build.spec().get(SUBSCRIPTIONS)).containsExactly("pull_request.*", "push");
    assertThat(build.spec().get(FILTER)).isEqualTo("payload.ref = \"refs/heads/main\"");
    assertThat(document.routes()).hasSize(1);
    assertThat(document.queues()).extracting(queue -> queue.spec().name()).containsExactly("audit");
  }

  @Test
  void allProblemsAreReportedAtOnceWithFileLineKeyAndFix() {
    assertThat(
            problems(
                """
                sources:
                  github: { verify: githup, secret: "${GITHUB_SECRET}" }
                  stripe: { verify: stripe }
                handlers:
                  build:
                    source: githb
                    url: ftp://ci.example.com
                    retyr: [5s]
                  deploy: { source: github }
                  notify: { source: githb, url: https://n.example.com }
                handler: {}
                """))
        .containsExactly(
            "postrider.yaml:2:21: sources.github.verify: is \"githup\"; must be one of "
                + String.join(", ", dev.postrider.inbound.verify.Verifiers.schemes())
                + ". Did you mean github?",
            "postrider.yaml:2:37: sources.github.secret: the environment variable GITHUB_SECRET is"
                + " not set; export GITHUB_SECRET, or write ${GITHUB_SECRET:-default}",
            "postrider.yaml:3:11: sources.stripe: secret is required by stripe; add secret:"
                + " \"${STRIPE_SECRET}\"",
            "postrider.yaml:6:13: handlers.build.source: the source githb is not defined in"
                + " this file. Did you mean github?",
            "postrider.yaml:7:10: handlers.build.url: must be an http:// or https:// URL, such as"
                + " https://example.com/hook",
            "postrider.yaml:8:5: handlers.build.retyr: is unknown. Did you mean retry?",
            "postrider.yaml:9:11: handlers.deploy: url is required; add url:"
                + " https://ci.example.com/hook",
            "postrider.yaml:10:21: handlers.notify.source: the source githb is not defined"
                + " in this file. Did you mean github?",
            "postrider.yaml:11:1: handler: is unknown. Did you mean handlers?");
  }

  @Test
  void theFileHasTheRulesOfTheApi() {
    String fourThousand = "x".repeat(4_000);
    assertThat(
            problems(
                """
                applications: { acme: {} }
                endpoints:
                  main:
                    application: acme
                    url: https://acme.example.com
                    channels: [eu, "not one"]
                    metadata: { a: %s, b: %s }
                """
                    .formatted(fourThousand, fourThousand)))
        .containsExactly(
            "postrider.yaml:6:20: endpoints.main.channels[1]: must be of the characters a-z A-Z 0-9"
                + " - _ . : +",
            "postrider.yaml:7:15: endpoints.main.metadata: may have at most 4096 bytes as JSON");
  }

  /**
   * Every kind of problem in one run: none hides another, and each is reported with its position.
   */
  @Test
  void oneProblemHidesNoOther() {
    assertThat(
            problems(
                    """
                    sources:
                      github:
                        verify: github
                        secret: s
                        allowed_ips: [10.0.0.0/33]
                        event_type: "payload.("
                      open:
                        verify: nothing
                        schema: { type: 5 }
                      nightly:
                        cron: "99 * * * *"
                      nightly:
                        cron: "* * * * *"
                    handlers:
                      build:
                        source: githup
                        filter: "payload.("
                        headers:
                          good: a
                          "bad header": b
                        forward_headers:
                          - x-ok
                          - host
                        retry: [5s, 5 minutes]
                        signature: { type: nope }
                        secret: short
                    routes:
                      - source: github
                        urk: 1
                      - source: gitlab
                        event: push
                        agent_intent: x
                        session: "$("
                    queues:
                      audit:
                        visibility_timeout: 0s
                        filter: "$("
                    event_types:
                      "bad name!": { retry: x }
                      ok.type:
                        schema_check: enforce
                        schemas: { "1": { type: 12 } }
                    """)
                .stream()
                .map(line -> line.replaceFirst("^postrider.yaml:(\\d+):\\d+: (.*?): .*", "$1 $2")))
        .containsExactly(
            "5 sources.github.allowed_ips[0]",
            "6 sources.github.event_type",
            "8 sources.open.verify",
            "9 sources.open.schema",
            "11 sources.nightly.cron",
            "12 sources.nightly",
            "15 handlers.build",
            "16 handlers.build.source",
            "17 handlers.build.filter",
            "20 handlers.build.headers.bad header",
            "23 handlers.build.forward_headers[1]",
            "24 handlers.build.retry[1]",
            "25 handlers.build.signature.type",
            "28 routes[0]",
            "29 routes[0].urk",
            "30 routes[1].source",
            "33 routes[1].session",
            "35 queues.audit",
            "36 queues.audit.visibility_timeout",
            "37 queues.audit.filter",
            "39 event_types.bad name!",
            "39 event_types.bad name!.retry",
            "42 event_types.ok.type.schemas");
  }

  /** What a good file becomes when any of its values is replaced is good or a bad file. */
  @Test
  void aWrongValueIsNeverMoreThanAProblem() {
    String good =
        """
        sources:
          github:
            verify: github
            secret: s
            event_type: "field:kind"
            dedupe_window: 24h
            max_body: 1KB
            expects: json
            response: { status: 202, headers: { x-a: b } }
          nightly: { cron: "0 3 * * *", timezone: Europe/Berlin, missed: once, payload: { a: 1 } }
        handlers:
          build: { source: github, url: https://a.example.com, retry: [5s], signature: { type: sha256, header: X-S }, secret: 0123456789abcdef }
        routes:
          - { source: github, event: push, agent_intent: a, profile: agent, session: payload.id, annotations: { a: b } }
          - { source: github, event: push, agent_intent: a, handler: build }
          - { source: github, event: push, agent_intent: a, url: https://d.example.com }
        queues:
          audit: { source: github, events: [push], visibility_timeout: 30s, max_attempts: 3, key: 0123456789abcdef }
        event_types:
          invoice.paid: { schema: { type: object }, schema_check: enforce, retry: none, feature_flags: [a] }
        applications:
          acme: { throttle: 5, max_endpoints: 3, retention: { delivered: 1d }, metadata: { a: b } }
        endpoints:
          main: { application: acme, url: https://b.example.com, timeout: 5s, ordering: fifo, headers: { a: b }, events: [a.b] }
        alerts:
          ops: { type: slack, url: https://c.example.com, on: [lag] }
        settings: { port: 9090, retry_schedule: [5s, 1m] }
        """;
    read(good);
    Matcher value =
        Pattern.compile("(?<=[:\\[,] )[^ ,{}\\[\\]]+|(?<=\\[)[^ ,{}\\[\\]]+").matcher(good);
    int bad = 0;
    while (value.find()) {
      for (String junk : List.of("", "99999999999999999999", "{ a: { b: c } }", "\"$(\"")) {
        String changed = good.substring(0, value.start()) + junk + good.substring(value.end());
        try {
          read(changed);
        } catch (BadFile e) {
          bad++;
          assertThat(e.lines()).as(changed).allMatch(line -> line.contains("postrider.yaml:"));
        }
      }
    }
    assertThat(bad).isGreaterThan(100);
  }

  @Test
  void aRegularExpressionThatIsNotSupportedIsNamed() {
    assertThat(
            problems(
                """
                sources:
                  shop:
                    verify: none
                    event_type: "$match(payload.t, /(?<=a)b/).match"
                    schema: { pattern: "(a)\\\\1" }
                handlers:
                  build:
                    source: shop
                    url: https://ci.example.com
                    filter: "$contains(payload.s, /a(?!b)/)"
                event_types:
                  paid: { description: d, schema: { pattern: "(?=x)" }, schema_check: enforce }
                """))
        .satisfiesExactlyInAnyOrder(
            text -> assertThat(text).contains("event_type: ", "\"(?<=a)b\" is not supported"),
            text -> assertThat(text).contains("shop.schema: ", "\"(a)\\1\" is not supported"),
            text -> assertThat(text).contains("build.filter: ", "\"a(?!b)\" is not supported"),
            text -> assertThat(text).contains("paid.schema: ", "\"(?=x)\" is not supported"));
  }

  @Test
  void invalidYamlIsReportedWithItsLine() {
    assertThat(problems("sources:\n  github: { verify: github\nhandlers: x\n"))
        .singleElement()
        .asString()
        .startsWith("postrider.yaml:3:")
        .contains("is not YAML");
    assertThat(problems("x-a: 1\nx-a: 2\n"))
        .containsExactly(
            "postrider.yaml:2:1: x-a: is a duplicate key, first used in line 1; remove one"
                + " of the two");
    assertThat(problems("- a\n"))
        .containsExactly(
            "postrider.yaml:1:1: the file is a list; start with a section such as sources:"
                + " or endpoints:");
    assertThat(problems("a: 1\n---\nb: 2\n"))
        .singleElement()
        .asString()
        .contains("several documents");
  }

  @Test
  void anAliasBombIsRefused() {
    StringBuilder bomb = new StringBuilder("x-0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n");
    for (int n = 1; n < 9; n++) {
      bomb.append("x-%d: &a%d [".formatted(n, n));
      bomb.append(("*a" + (n - 1) + ", ").repeat(9)).append("]\n");
    }
    assertThat(problems(bomb.toString())).singleElement().asString().contains("Number of aliases");
  }

  @Test
  void variablesHaveDefaultsAndCanBeWrittenPlainly() {
    environment.put("HOST", "api.example.com");
    environment.put("EMPTY", "");
    Document document =
        read(
            """
            applications: { acme: { name: "${NAME:-Acme} $${NOT}", throttle: "${RATE:-7}" } }
            endpoints: { main: { application: acme, url: "https://${HOST}/${EMPTY:-x}" } }
            """);
    assertThat(document.applications().getFirst().spec().name()).isEqualTo("Acme ${NOT}");
    assertThat(document.applications().getFirst().spec().throttleRate()).isEqualTo(7);
    assertThat(document.endpoints().getFirst().spec().get(URL))
        .isEqualTo("https://api.example.com/x");
    assertThat(problems("applications: { acme: { name: \"${EMPTY}\" } }")).hasSize(1);
    assertThat(problems("applications: { acme: { name: \"a${1}\" } }"))
        .containsExactly(
            "postrider.yaml:1:31: applications.acme.name: \"${1}\" is not a variable; write"
                + " ${NAME} or ${NAME:-default}, or $${ for a literal ${");
  }

  @Test
  void aValueMayStandInAFile() throws IOException {
    Files.createDirectory(folder.resolve("secrets"));
    write("secrets/token", "Bearer abc\n");
    Document document =
        read(
            """
            endpoints:
              main:
                application: acme
                url: https://example.com
                headers: { authorization: { file: secrets/token } }
            """);
    assertThat(document.endpoints().getFirst().headers())
        .isEqualTo(Map.of("authorization", "Bearer abc"));
    assertThat(
            problems(
                """
                endpoints:
                  main: { application: acme, url: { file: secrets/none } }
                """))
        .containsExactly(
            "postrider.yaml:2:43: endpoints.main.url: cannot read the file secrets/none"
                + " (file not found); create it, or fix the path (relative to "
                + folder.toAbsolutePath()
                + ")");
  }

  @Test
  void anOverlayMergesTablesReplacesTheRestAndRemovesWhatIsEmpty() {
    Path file =
        write(
            "postrider.yaml",
            """
            applications: { acme: { name: Acme, throttle: 5 }, beta: {} }
            endpoints:
              main: { application: acme, url: https://example.com, events: [a, b] }
            """);
    write(
        "postrider.staging.yaml",
        """
        applications: { acme: { throttle: 9 }, beta: }
        endpoints: { main: { events: [c] } }
        """);
    Document document = ConfigurationFile.read(file, "staging", environment).document();
    assertThat(document.applications())
        .singleElement()
        .satisfies(
            acme -> {
              assertThat(acme.spec().name()).isEqualTo("Acme");
              assertThat(acme.spec().throttleRate()).isEqualTo(9);
            });
    assertThat(document.endpoints().getFirst().spec().get(SUBSCRIPTIONS)).containsExactly("c");
    write("postrider.staging.yaml", "endpoints: { main: { events: [c], urk: x } }");
    BadFile bad =
        catchThrowableOfType(
            BadFile.class, () -> ConfigurationFile.read(file, "staging", environment));
    assertThat(bad.problems().getFirst().place().file()).endsWith("postrider.staging.yaml");
    BadFile missing =
        catchThrowableOfType(
            BadFile.class, () -> ConfigurationFile.read(file, "production", environment));
    assertThat(missing).hasMessageContaining("does not exist; create it, or remove --env");
    assertThat(
            catchThrowableOfType(
                BadFile.class, () -> ConfigurationFile.read(file, "../x", environment)))
        .hasMessageContaining("must be a word");
  }

  @Test
  void theAgentProfileIsADelayAndASchedule() {
    environment.put("GITHUB_SECRET", "s3cret");
    String sources = "sources: { github: { verify: github, secret: s } }\n";
    Document.Receiver agent =
        read(sources
                + "handlers: { a: { source: github, url: https://a.example.com, profile: agent } }")
            .handlers()
            .getFirst();
    assertThat(agent.spec().get(INITIAL_DELAY_MS))
        .isEqualTo((int) Duration.ofSeconds(30).toMillis());
    assertThat(agent.spec().get(RETRY_POLICY)).isEqualTo("30s,2m,10m,1h,6h");
    Document.Receiver own =
        read(sources
                + "handlers: { a: { source: github, url: https://a.example.com, profile: agent,"
                + " initial_delay: 0s, retry: none } }")
            .handlers()
            .getFirst();
    assertThat(own.spec().get(INITIAL_DELAY_MS)).isZero();
    assertThat(own.spec().get(RETRY_POLICY)).isEmpty();
  }

  @Test
  void aRouteIsForAllForAHandlerOrForAUrl() {
    Document document =
        read(
            """
            sources: { github: { verify: github, secret: s } }
            handlers: { build: { source: github, url: https://a.example.com } }
            endpoints: { log: { application: github, uid: audit, url: https://b.example.com } }
            routes:
              - { source: github, event: push, agent_intent: a }
              - { source: github, event: push, agent_intent: a, handler: build }
              - { source: github, event: push, agent_intent: a, handler: audit }
              - { source: github, event: push, agent_intent: a, url: https://C.example.com }
            """);
    assertThat(document.routes())
        .extracting(route -> route.spec().target())
        .containsExactly(
            AgentRoute.Target.ALL,
            new AgentRoute.Target.OneEndpoint("build"),
            new AgentRoute.Target.OneEndpoint("audit"),
            new AgentRoute.Target.OwnEndpoint("https://c.example.com/"));
    assertThat(document.urls()).containsEntry("routes[3].url", "https://c.example.com/");
  }

  @Test
  void theTargetOfARouteIsChecked() {
    assertThat(
            problems(
                """
                sources: { github: { verify: github, secret: s }, gitlab: { verify: none } }
                handlers:
                  build: { source: github, url: https://a.example.com }
                  other: { source: gitlab, url: https://a.example.com }
                  wrong: 5
                routes:
                  - { source: github, event: a, agent_intent: a, handler: bild }
                  - { source: github, event: b, agent_intent: a, handler: nobody }
                  - { source: github, event: c, agent_intent: a, handler: other }
                  - { source: github, event: d, agent_intent: a, handler: wrong }
                  - { source: github, event: e, agent_intent: a, handler: build, url: https://b.example.com }
                  - { source: github, event: f, agent_intent: a, url: ftp://b.example.com }
                  - { source: github, event: g, agent_intent: a, handler: build }
                  - { source: github, event: g, agent_intent: b, handler: build }
                  - { source: github, event: g, agent_intent: b, url: https://b.example.com }
                  - { source: github, event: g, agent_intent: b, url: https://c.example.com }
                """))
        .filteredOn(line -> !line.contains(" handlers.wrong: is a number; "))
        .hasSize(7)
        .containsExactly(
            "postrider.yaml:7:59: routes[0].handler: the handler bild is not defined in"
                + " this file. Did you mean build?",
            "postrider.yaml:8:59: routes[1].handler: the handler nobody is not defined in"
                + " this file. Add handlers: { nobody: { source: github, url: … } }, or use build",
            "postrider.yaml:9:59: routes[2].handler: the handler other receives the events"
                + " of gitlab, but this is a route of github; use a handler of github",
            "postrider.yaml:11:5: routes[4]: has both handler and url; remove one of the two",
            "postrider.yaml:12:55: routes[5].url: must be an http:// or https:// URL, such as"
                + " https://example.com/hook",
            "postrider.yaml:14:5: routes[7]: g of github already has a route to build,"
                + " routes[6]; remove one of the two",
            "postrider.yaml:16:5: routes[9]: g of github already has a route with a url,"
                + " routes[8]; for a second URL, add a handler and set it in the route");
  }

  @Test
  void duplicatesAreRefused() {
    assertThat(
            problems(
                """
                sources: { github: { verify: github, secret: s } }
                handlers: { main: { source: github, url: https://a.example.com } }
                endpoints: { main: { application: github, url: https://a.example.com } }
                routes:
                  - { source: github, event: push, agent_intent: a }
                  - { source: github, event: push, agent_intent: b }
                queues:
                  one: { source: github, key: 0123456789abcdef }
                  two: { source: github, key: 0123456789abcdef }
                """))
        .containsExactly(
            "postrider.yaml:3:20: endpoints.main: has the same application and name as"
                + " handlers.main; rename one of them",
            "postrider.yaml:6:5: routes[1]: push of github already has a route, routes[0];"
                + " remove one of the two",
            "postrider.yaml:9:31: queues.two.key: is the same as queues.one.key; each queue"
                + " needs a different key");
  }

  @Test
  void settingsAreThoseOfTheServer() {
    assertThat(
            read("settings: { port: 9090, trusted_proxies: [10.0.0.0/8, 127.0.0.1] }").settings())
        .isEqualTo(
            Map.of("POSTRIDER_PORT", "9090", "POSTRIDER_TRUSTED_PROXIES", "10.0.0.0/8,127.0.0.1"));
    assertThat(problems("settings: { port: many, prot: 1 }"))
        .containsExactly(
            "postrider.yaml:1:19: settings.port: must be a whole number from 0 to 65535. Example:"
                + " 8080",
            "postrider.yaml:1:25: settings.prot: is unknown. Did you mean port?");
  }

  @Test
  void aDocumentTravelsAsJson() {
    environment.put("GITHUB_SECRET", "s3cret");
    ConfigurationFile file =
        ConfigurationFile.read(write("postrider.yaml", ISSUE), null, environment);
    Document again =
        ConfigurationFile.parseJson(file.toJson().getBytes(java.nio.charset.StandardCharsets.UTF_8))
            .document();
    assertThat(again.handlers().getFirst().spec())
        .isEqualTo(file.document().handlers().getFirst().spec());
    assertThat(file.placeOf("handlers.build.url").line()).isEqualTo(4);
  }

  @Test
  void theSchemaTakesWhatTheReaderTakesAndRefusesWhatItRefuses() {
    Schema schema =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(Json.MAPPER.readTree(FileJsonSchema.text()));
    assertThat(schema.validate(json(ISSUE))).isEmpty();
    assertThat(schema.validate(json("event_types: { a.b: }"))).isEmpty();
    assertThat(schema.validate(json("applications: { a: { throttle: \"${RATE}\" } }"))).isEmpty();
    for (String bad :
        List.of(
            "handler: {}",
            "handlers: { a: { source: b } }",
            "sources: { a: { verify: no-such-scheme } }",
            "endpoints: { a: { application: a, url: https://a, throttle: 0 } }")) {
      assertThat(schema.validate(json(bad))).as(bad).isNotEmpty();
    }
  }

  private static tools.jackson.databind.JsonNode json(String yaml) {
    return JsonTree.json(YamlText.read("test", yaml, new FileProblems()));
  }

  @Test
  void aPlainSharedSecretIsAllowedWhereTheSchemeAllowsAnyText() {
    for (String signature :
        List.of("observatory", "{ type: sha256, header: X-Hub-Signature-256 }")) {
      Document document =
          read(
              """
              applications: { acme: {} }
              endpoints:
                main: { application: acme, url: https://a.example.com, signature: %s, secret: a-plain-shared-secret }
              """
                  .formatted(signature));
      assertThat(document.endpoints().getFirst().signingKey()).as(signature).isNotNull();
    }
    assertThat(
            problems(
                """
                applications: { acme: {} }
                endpoints:
                  main: { application: acme, url: https://a.example.com, secret: a-plain-shared-secret }
                """))
        .singleElement()
        .asString()
        .contains("endpoints.main.secret: must be whsec_");
  }

  @Test
  void aSourceThatLearnsItsSecretNeedsNone() {
    Document document = read("sources: { tasks: { verify: asana } }\n");
    assertThat(document.sources().getFirst().secrets().lists()).isEmpty();
  }

  @Test
  void eventTypesHaveSecretsOfTheirOwn() {
    Document document =
        read(
            """
            sources:
              github:
                verify: github
                secret: other
                event_type_secrets: { push: one, "pull_request.*": [two, three] }
            """);
    assertThat(document.sources().getFirst().secrets().lists())
        .isEqualTo(
            Map.of(
                "",
                List.of(SourceSecret.of("other")),
                "push",
                List.of(SourceSecret.of("one")),
                "pull_request.*",
                List.of(SourceSecret.of("two"), SourceSecret.of("three"))));
    assertThat(
            problems(
                """
                sources:
                  a: { verify: github, event_type_secrets: { "a b": s } }
                  b: { verify: none, event_type_secrets: { push: s } }
                  c: { verify: github, event_type: payload.kind, event_type_secrets: { push: s } }
                  d: { verify: github, event_type_secrets: { push: "" } }
                  e: { verify: github, event_type_secrets: { "*": s } }
                """))
        .satisfiesExactlyInAnyOrder(
            a ->
                assertThat(a).contains(":2:", "event_type_secrets.a b: the name").contains("valid"),
            b ->
                assertThat(b)
                    .contains(":3:", "sources.b.event_type_secrets", "without a secret; remove"),
            c ->
                assertThat(c)
                    .contains(":4:", "sources.c.event_type_secrets", "cannot be used with an"),
            d -> assertThat(d).contains(":5:", "event_type_secrets.push: must not be empty"),
            e -> assertThat(e).contains(":6:", "event_type_secrets", "set secret"));
  }

  @Test
  void everyKeyThatAServerNamesIsFoundInTheFile() {
    ConfigurationFile file =
        ConfigurationFile.read(
            write(
                "postrider.yaml",
                """
                sources: { github: { verify: github, secret: s } }
                event_types:
                  invoice: { description: All }
                  invoice.paid:
                    description: Paid
                    schemas: { "1": { type: object } }
                routes:
                  - { source: github, event: push, agent_intent: a }
                  - source: github
                    event: issues
                    agent_intent: b
                """),
            null,
            environment);
    assertThat(file.placeOf("event_types.invoice.paid").line()).isEqualTo(4);
    assertThat(file.placeOf("event_types.invoice.paid.description"))
        .extracting(FilePosition::line, FilePosition::column)
        .containsExactly(5, 18);
    assertThat(file.placeOf("event_types.invoice.description").line()).isEqualTo(3);
    assertThat(file.placeOf("routes[0]").line()).isEqualTo(8);
    assertThat(file.placeOf("routes[1]").line()).isEqualTo(9);
    assertThat(file.placeOf("routes[1].agent_intent").line()).isEqualTo(11);
    assertThat(file.placeOf("routes[7].event").line()).as("the nearest").isEqualTo(8);
    assertThat(file.placeOf("sources.gitlab").line()).as("the nearest").isEqualTo(1);
  }

  @Test
  void aTickMayCarryAPayload() {
    Document document =
        read(
            """
            sources:
              report: { cron: "0 9 * * fri-sun", payload: { report: daily, n: 1 } }
              ping: { cron: "@hourly", payload: "a,b", content_type: text/csv }
            """);
    assertThat(document.sources())
        .extracting(
            source ->
                Objects.requireNonNull(source.form().get(SourceFields.CRON))
                    .get(SourceFields.PAYLOAD))
        .containsExactly("{\"report\":\"daily\",\"n\":1}", "a,b");
    assertThat(
            Objects.requireNonNull(document.sources().get(1).form().get(SourceFields.CRON))
                .get(SourceFields.CONTENT_TYPE))
        .isEqualTo("text/csv");
  }

  @Test
  void fieldsOfHttpSourcesAndOfCronSourcesDoNotMix() {
    assertThat(
            problems(
                """
                sources:
                  clock: { cron: "@daily", schema: { type: object }, dedupe: none, max_body: 1KB }
                  github: { verify: github, secret: s, payload: x }
                """))
        .containsExactly(
            "postrider.yaml:2:36: sources.clock.schema: applies only to sources that"
                + " receive requests, not to cron sources; remove one of the two",
            "postrider.yaml:2:62: sources.clock.dedupe: applies only to sources that"
                + " receive requests, not to cron sources; remove one of the two",
            "postrider.yaml:2:78: sources.clock.max_body: applies only to sources that"
                + " receive requests, not to cron sources; remove one of the two",
            "postrider.yaml:3:49: sources.github.payload: applies only to cron sources; add"
                + " cron, or remove this");
  }

  @Test
  void aSourceCreatedByTheApiIsRefusedWithTheFix() {
    assertThat(problems("handlers: { build: { source: billing, url: https://a.example.com } }\n"))
        .singleElement()
        .asString()
        .contains(
            "the source billing is not defined in this file. Add sources: { billing: … }",
            "If billing was created with the API, write endpoints: { build: { application:"
                + " billing, url: … } } instead");
    assertThat(problems("queues: { audit: { source: billing } }\n"))
        .singleElement()
        .asString()
        .contains("If billing was created with the API, create this with the API too");
  }

  @Test
  void aSourceWithoutVerificationIsAWarning() {
    ConfigurationFile file =
        ConfigurationFile.read(
            write(
                "postrider.yaml",
                """
                sources:
                  open: { verify: none }
                  clock: { cron: "@daily" }
                  github: { verify: github, secret: s }
                  bus: { verify: aws-sns, options: { topics: "*" } }
                  local:
                    verify: aws-sns
                    options: { topics: "*", skip_verify: true }
                """),
            null,
            environment);
    assertThat(file.warnings())
        .extracting(FileProblem::toString)
        .satisfiesExactly(
            open ->
                assertThat(open)
                    .contains(
                        "postrider.yaml:2:19: sources.open.verify: none: requests are not verified"),
            local ->
                assertThat(local)
                    .contains(
                        "postrider.yaml:8:14: sources.local.options: skip_verify: requests are not"));
  }
}
