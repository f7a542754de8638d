/** Uses an internal package of the engine: it does not compile. */
module example.internal {
  requires dev.postrider.engine;
}
