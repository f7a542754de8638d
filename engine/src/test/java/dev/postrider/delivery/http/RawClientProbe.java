package dev.postrider.delivery.http;

import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.NameResolver;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.net.Cidr;
import dev.postrider.time.SystemTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures how many requests the sender makes per second, over loopback, against a sink in the same
 * process. Arguments: targets (100), requests under way (256), seconds to measure (8), to warm up
 * (5).
 */
public final class RawClientProbe {
  private static final byte[] ANSWER =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
          .getBytes(StandardCharsets.US_ASCII);
  private static final int BODY_BYTES = 470;

  private RawClientProbe() {}

  @SuppressWarnings("SystemOut")
  public static void main(String[] args) throws Exception {
    int targets = argument(args, 0, 100);
    int underWay = argument(args, 1, 256);
    int seconds = argument(args, 2, 8);
    int warmUp = argument(args, 3, 5);
    AtomicBoolean running = new AtomicBoolean(true);
    LongAdder good = new LongAdder();
    LongAdder bad = new LongAdder();
    int port = startSink();
    List<Cidr> loopback = List.of(Cidr.parse("127.0.0.0/8"));
    SystemTime time = new SystemTime();
    try (NameLookup lookup =
            new NameLookup(NameResolver.system(), time, NameLookup.Limits.defaults());
        HttpSender sender =
            new HttpSender(
                SenderSettings.defaults(underWay),
                new AddressGuard(loopback, lookup),
                lookup,
                time)) {
      lookup.start();
      sender.start();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < underWay; i++) {
        int first = i;
        threads.add(
            Thread.ofVirtual()
                .start(() -> loop(sender, targets(targets, port), first, running, good, bad)));
      }
      threads.get(0).join(Duration.ofSeconds(warmUp));
      long count = good.sum();
      long startNanos = System.nanoTime();
      long startCpu = cpuNanos();
      threads.get(0).join(Duration.ofSeconds(seconds));
      double elapsed = (System.nanoTime() - startNanos) / 1e9;
      long made = good.sum() - count;
      double cpuMicros = (cpuNanos() - startCpu) / 1e3 / Math.max(1, made);
      running.set(false);
      for (Thread thread : threads) {
        thread.join();
      }
      System.out.printf(
          "%d targets, %d under way: %,.0f requests/s, %.1f us CPU each (sink included), %d not 200%n",
          targets, underWay, made / elapsed, cpuMicros, bad.sum());
    }
  }

  private static int argument(String[] args, int index, int otherwise) {
    return args.length > index ? Integer.parseInt(args[index]) : otherwise;
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getProcessCpuTime();
  }

  private static Target[] targets(int count, int port) {
    TargetRules rules = new TargetRules(false, List.of());
    Target[] targets = new Target[count];
    for (int i = 0; i < count; i++) {
      try {
        targets[i] =
            Target.parse(
                "http://127.0." + i / 250 + "." + (i % 250 + 1) + ":" + port + "/hook", rules);
      } catch (BadTarget impossible) {
        throw new IllegalStateException(impossible);
      }
    }
    return targets;
  }

  private static void loop(
      HttpSender sender,
      Target[] targets,
      int first,
      AtomicBoolean running,
      LongAdder good,
      LongAdder bad) {
    byte[] body = "x".repeat(BODY_BYTES).getBytes(StandardCharsets.US_ASCII);
    Duration deadline = Duration.ofSeconds(15);
    for (int i = first; running.get(); i++) {
      HeaderList headers =
          new HeaderList()
              .add("Content-Type", "application/json")
              .add("User-Agent", "Postrider/0.1")
              .add("webhook-id", "msg_2Y0c6cUqNnZq3p9gq2m5eXw1abc")
              .add("webhook-timestamp", "1760000000")
              .add("webhook-signature", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=")
              .add("postrider-delivery-id", "dlv_2Y0c6cUqNnZq3p9gq2m5eXw1abc")
              .add("postrider-attempt", "1");
      HttpResult outcome =
          sender.send(targets[i % targets.length], "POST", headers, body, deadline);
      if (outcome instanceof HttpResult.Answered answered && answered.status() == 200) {
        good.increment();
      } else {
        bad.increment();
      }
    }
  }

  private static int startSink() throws IOException {
    Selector selector = Selector.open();
    ServerSocketChannel server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress("0.0.0.0", 0), 4096);
    server.configureBlocking(false);
    server.register(selector, SelectionKey.OP_ACCEPT);
    Thread.ofPlatform().daemon().name("sink").start(() -> serve(selector, server));
    return server.socket().getLocalPort();
  }

  private static void serve(Selector selector, ServerSocketChannel server) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(64 * 1024);
    ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER.length).put(ANSWER).flip();
    try {
      while (true) {
        selector.select(key -> handle(key, selector, server, buffer, answer));
      }
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static void handle(
      SelectionKey key,
      Selector selector,
      ServerSocketChannel server,
      ByteBuffer buffer,
      ByteBuffer answer) {
    try {
      if (key.isAcceptable()) {
        SocketChannel accepted = server.accept();
        if (accepted != null) {
          accepted.configureBlocking(false);
          accepted.register(selector, SelectionKey.OP_READ);
        }
        return;
      }
      SocketChannel channel = (SocketChannel) key.channel();
      buffer.clear();
      if (channel.read(buffer) < 0) {
        channel.close();
      } else if (buffer.get(buffer.position() - 1) == 'x') {
        // Requests here end in x and leave in one write; a part of one would end elsewhere.
        channel.write(answer.duplicate());
      }
    } catch (IOException _) {
      key.cancel();
    }
  }
}
