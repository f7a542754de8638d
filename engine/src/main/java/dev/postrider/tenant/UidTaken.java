package dev.postrider.tenant;

/**
 * Thrown when another application of the environment, or another endpoint of the application, has
 * the same uid.
 */
public final class UidTaken extends RuntimeException {
  public UidTaken(String uid) {
    super(
        "the uid "
            + uid
            + " is already in use; choose another one, or change the uid of the object that has it");
  }
}
