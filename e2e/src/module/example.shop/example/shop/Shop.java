package example.shop;

import com.sun.net.httpserver.HttpServer;
import dev.postrider.engine.Engine;
import dev.postrider.engine.NewEndpoint;
import dev.postrider.engine.OutgoingMessage;
import dev.postrider.id.ApplicationId;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Sends a message to a receiver of its own. The argument is the folder of the database. */
public final class Shop {
  public static void main(String[] args) throws Exception {
    CompletableFuture<String> received = new CompletableFuture<>();
    HttpServer receiver = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    receiver.createContext(
        "/hook",
        exchange -> {
          received.complete(new String(exchange.getRequestBody().readAllBytes()));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    receiver.start();
    URI url = URI.create("http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook");

    try (Engine engine =
        Engine.builder()
            .sqlite(Path.of(args[0]))
            .allowTargets("127.0.0.0/8")
            .allowPlainHttp()
            .build()) {
      engine.start();
      ApplicationId shop = engine.applications().getOrCreate("shop", "Shop");
      engine.endpoints().create(shop, NewEndpoint.of(url));
      engine.send(OutgoingMessage.of(shop, "order.paid", "{\"order\":17}"));
      System.out.println("received " + received.get(30, TimeUnit.SECONDS));
    } finally {
      receiver.stop(0);
    }
  }
}
