package dev.postrider.api.http;

/** The credentials that a route requires. */
public enum Scope {
  /** Everyone. */
  PUBLIC,
  /** Any key, only about itself; its role does not matter. */
  SELF,
  /** A key of the environment; an application's key gets 403. */
  ENVIRONMENT,
  /**
   * The same, and a token with feature flags: of a portal, of an integration, or a JWT of an
   * application.
   */
  CATALOG,
  /**
   * A key of the environment, or the key of the application in the path; another application's key
   * gets 404.
   */
  APPLICATION
}
