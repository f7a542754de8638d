package dev.postrider.api.ops;

import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.TextRule;
import dev.postrider.live.LiveClient;
import dev.postrider.live.LiveEvent;
import dev.postrider.live.LiveFeed;
import dev.postrider.live.LiveFilter;
import dev.postrider.tenant.Application;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The API call that streams the live feed as server-sent events. */
final class LiveCalls {
  static final Duration ALIVE_EVERY = Duration.ofSeconds(15);
  private static final HeaderName LAST_EVENT_ID = HeaderNames.create("last-event-id");
  private static final byte[] HELLO = "retry: 2000\n: live\n\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ALIVE = ": alive\n\n".getBytes(StandardCharsets.US_ASCII);

  private final ApplicationLookup applications;
  private final LiveFeed feed;

  LiveCalls(ApplicationLookup applications, LiveFeed feed) {
    this.applications = applications;
    this.feed = feed;
  }

  void stream(Call call) throws IOException, InterruptedException {
    LiveFilter filter =
        new LiveFilter(
            call.environmentId(),
            application(call),
            call.query().text("session", TextRule.of(1, 256)));
    LiveClient joined = feed.join(filter, after(call));
    if (joined == null) {
      throw ApiError.unavailable(
          "too many clients of the live feed; try again", Duration.ofSeconds(10));
    }
    call.response().header(HeaderNames.CONTENT_TYPE, "text/event-stream");
    call.response().header(HeaderNames.CACHE_CONTROL, "no-store");
    call.response().header(HeaderNames.create("x-accel-buffering"), "no");
    try (LiveClient client = joined;
        OutputStream out = call.response().stream()) {
      out.write(HELLO);
      out.flush();
      while (!client.ended()) {
        var events = client.next(ALIVE_EVERY);
        for (LiveEvent event : events) {
          out.write(text(event));
        }
        if (events.isEmpty()) {
          out.write(ALIVE);
        }
        out.flush();
      }
    }
  }

  private @Nullable Id application(Call call) {
    Application application = applications.inQuery(call);
    return application == null ? null : application.id().value();
  }

  /** An unknown id means to start now. */
  private static @Nullable Id after(Call call) {
    String last = call.header(LAST_EVENT_ID);
    return last == null ? null : Id.parse(IdKind.LIVE_EVENT, last);
  }

  private static byte[] text(LiveEvent event) {
    return ("id: "
            + event.id().text(IdKind.LIVE_EVENT)
            + "\nevent: "
            + event.kind()
            + "\ndata: "
            + event.data()
            + "\n\n")
        .getBytes(StandardCharsets.UTF_8);
  }
}
