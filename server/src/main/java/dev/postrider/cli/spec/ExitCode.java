package dev.postrider.cli.spec;

/** The exit codes of all commands. */
public final class ExitCode {
  public static final int OK = 0;

  /** The server did not respond or rejected the request, or something unexpected failed. */
  public static final int FAILED = 1;

  /** The user can fix it: an argument, a setting or a file. */
  public static final int USER_ERROR = 2;

  private ExitCode() {}
}
