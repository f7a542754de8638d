package dev.postrider.api.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.message.AcceptResult;
import dev.postrider.storage.Database;
import dev.postrider.testkit.Databases;
import dev.postrider.testkit.api.ApiFixture;
import dev.postrider.testkit.api.ApiFixture.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a source answers when the server cannot take a message. */
@Timeout(120)
final class InboundAnswersTest {
  @TempDir Path folder;
  private Database database;
  private ApiFixture api;

  @BeforeEach
  void open() {
    database = Databases.sqlite(folder);
    api = new ApiFixture(database);
    assertThat(
            api.call("POST", "/api/v1/source", "{\"name\":\"any\",\"verify\":\"none\"}").status())
        .isEqualTo(201);
  }

  @AfterEach
  void close() {
    api.close();
    database.close();
  }

  private Answer send() {
    return api.call("", "POST", "/in/any", BodyPublishers.ofString("x"));
  }

  @Test
  void answers503WithoutTheDatabaseAndRecovers() {
    api.acceptor.next =
        new AcceptResult.Refused("the database is unavailable", Duration.ofSeconds(2));
    Answer refused = send();
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.response().headers().firstValue("retry-after")).hasValue("2");
    assertThat(send().status()).isEqualTo(200);
    assertThat(api.acceptor.accepted).hasSize(1);
  }

  @Test
  void requestsForAnInactiveOrDeletedApplicationAreRefused() {
    api.call("PATCH", "/api/v1/app/any", "{\"active\":false}");
    assertThat(send().text("/code")).isEqualTo("application_inactive");
    api.call("DELETE", "/api/v1/app/any", null);
    assertThat(send().text("/code")).isEqualTo("application_gone");
    assertThat(api.call("PUT", "/api/v1/source/any", "{\"verify\":\"none\"}").status())
        .isEqualTo(200);
    assertThat(send().status()).as("saved again, with a new application").isEqualTo(200);
  }

  @Test
  void requestsBeyondTheConcurrencyLimitAreRefused() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger turnedAway = new AtomicInteger();
    api.acceptor.before =
        () -> {
          try {
            go.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Answer>> running = new ArrayList<>();
      for (int i = 0; i < 110; i++) {
        running.add(
            callers.submit(
                () -> {
                  Answer answer = send();
                  if (answer.status() == 503) {
                    turnedAway.incrementAndGet();
                  }
                  return answer;
                }));
      }
      api.await("ten were turned away", () -> turnedAway.get() == 10);
      go.countDown();
      for (Future<Answer> one : running) {
        assertThat(one.get().status()).isIn(200, 503);
      }
    }
    assertThat(turnedAway.get()).isEqualTo(10);
    assertThat(api.acceptor.accepted).hasSize(100);
  }
}
