package dev.postrider.options;

/** The role of an instance: serve the API, deliver, or both. */
public enum Role {
  API,
  WORKER,
  ALL;

  public boolean servesApi() {
    return this != WORKER;
  }

  public boolean delivers() {
    return this != API;
  }
}
