package dev.postrider.options;

/** What an instance does: answer callers, deliver, or both. */
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
