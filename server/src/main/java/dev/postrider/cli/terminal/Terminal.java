package dev.postrider.cli.terminal;

import java.io.PrintWriter;
import java.util.Map;

/**
 * The environment of a command: streams, variables and output format.
 *
 * @param json whether the output should be JSON
 */
public record Terminal(
    PrintWriter out,
    PrintWriter err,
    Map<String, String> environment,
    boolean json,
    Terminals screens) {}
