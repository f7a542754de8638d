package dev.postrider.api.http;

/** Whom a route lets in. */
public enum Scope {
  /** Anybody. */
  PUBLIC,
  /** Any key, about nothing but itself; its role does not matter. */
  SELF,
  /** A key of the environment; an application's key gets 403. */
  ENVIRONMENT,
  /**
   * The same, and a token that was given feature flags: a portal's, an integration's or an
   * application's JWT.
   */
  CATALOG,
  /**
   * A key of the environment, or the key of the application in the path; another application's key
   * gets 404.
   */
  APPLICATION
}
