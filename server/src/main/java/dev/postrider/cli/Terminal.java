package dev.postrider.cli;

import java.io.PrintWriter;
import java.util.Map;

/**
 * What a command may see of the world around it.
 *
 * @param json whether the answer should be JSON
 */
public record Terminal(
    PrintWriter out,
    PrintWriter err,
    Map<String, String> environment,
    boolean json,
    Terminals screens) {}
