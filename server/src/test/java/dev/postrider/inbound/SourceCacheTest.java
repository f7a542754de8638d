package dev.postrider.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.evaluation.EvaluationLimits;
import dev.postrider.evaluation.Evaluator;
import dev.postrider.event.EventPublisher;
import dev.postrider.expression.ExpressionLimits;
import dev.postrider.expression.JsonataExpressions;
import dev.postrider.inbound.compiled.SourceCompiler;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.store.SourceStore;
import dev.postrider.inbound.verify.Verifiers;
import dev.postrider.inbound.verify.provider.SnsCertificates;
import dev.postrider.storage.Database;
import dev.postrider.tenant.Environment;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.Fixture;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The sources in memory of an instance that nobody tells of changes. */
@Timeout(120)
class SourceCacheTest {
  private static final int ROUNDS = 30;

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(Databases.Kind.class)
  void aNewSourceIsFoundDuringRequestsForUnknownNames(Databases.Kind kind)
      throws SourceCache.SourceUnavailable {
    try (Database database = kind.open(folder)) {
      Fixture stores = new Fixture(database, new SystemTime());
      stores.environments.ensureDefault();
      SourceStore store = store(stores);
      try (SourceCache sourceCache = new SourceCache(store, new SystemTime())) {
        for (int round = 1; round <= ROUNDS; round++) {
          assertThat(sourceCache.find("guess-" + round)).isNull();
          store.create(
              Environment.DEFAULT_ID, SourceForm.of("made-" + round, "none"), SecretChange.NONE);
          assertThat(sourceCache.find("made-" + round))
              .as("the source made in round %d", round)
              .isNotNull();
        }
      }
    }
  }

  private static SourceStore store(Fixture stores) {
    Evaluator evaluator = new Evaluator(EvaluationLimits.DEFAULT, new SystemTime());
    SourceCompiler maker =
        new SourceCompiler(
            new Verifiers(
                new SnsCertificates(
                    _ -> {
                      throw new IOException("no network here");
                    },
                    Set.of())),
            new JsonataExpressions(ExpressionLimits.DEFAULT, evaluator, new SystemTime()),
            evaluator);
    return new SourceStore(
        stores.database,
        stores.keyring,
        stores.applications,
        maker,
        stores.ids,
        new SystemTime(),
        EventPublisher.NONE);
  }
}
