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

  /** What is wrong, with the name of the database. */
  public String problem() {
    return problem;
  }

  /** What the operator can do. */
  public String fix() {
    return fix;
  }
}
