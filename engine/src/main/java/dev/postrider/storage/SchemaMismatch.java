package dev.postrider.storage;

/** The database was created by another version of this program, which this one cannot use. */
public final class SchemaMismatch extends StorageException {
  private final String problem;
  private final String fix;

  SchemaMismatch(String problem, String fix) {
    super(problem + ": " + fix, null);
    this.problem = problem;
    this.fix = fix;
  }

  /** The problem, with the name of the database. */
  public String problem() {
    return problem;
  }

  /** The fix for the operator. */
  public String fix() {
    return fix;
  }
}
