package dev.postrider.api;

/** Whom a route lets in. */
enum Scope {
  /** Anybody. */
  PUBLIC,
  /** Any key, about nothing but itself; its role does not matter. */
  SELF,
  /** A key of the environment; an application's key gets 403. */
  ENVIRONMENT,
  /**
   * A key of the environment, or the key of the application in the path; another application's key
   * gets 404.
   */
  APPLICATION
}
