/** An application that sends webhooks with the engine as a library. */
module example.shop {
  requires dev.postrider.engine;
  requires jdk.httpserver;
}
