package dev.postrider.bench.crash;

import java.util.SplittableRandom;

/**
 * Decides how the receiver responds to a request: a function of the seed, the delivery and the
 * attempt, so that it does not depend on the order of arrival. After a few attempts it always
 * responds with 200.
 */
record ReceiverPlan(long seed) {
  /** What happens to one request; status 0 drops the connection. */
  record Answer(int status, int delayMs) {}

  private static final int PATIENCE = 5;
  private static final int SLOW_MS = 400;

  Answer answer(String deliveryId, int attempt) {
    SplittableRandom random =
        new SplittableRandom(seed * 31 + deliveryId.hashCode() * 0x9E3779B97F4A7C15L + attempt);
    random.nextLong();
    int draw = attempt > PATIENCE ? 99 : random.nextInt(100);
    int delay = random.nextInt(SLOW_MS);
    if (draw < 4) {
      return new Answer(500, 0);
    }
    if (draw < 6) {
      return new Answer(503, delay);
    }
    if (draw < 8) {
      return new Answer(0, 0);
    }
    // Slow responses keep attempts in progress, so that kills hit some between sending and
    // recording.
    return draw < 28 ? new Answer(200, delay) : new Answer(200, 0);
  }
}
