package dev.postrider.alert;

import java.util.Map;

/**
 * Something that somebody should know.
 *
 * @param subject the endpoint or source that it is about
 * @param leftOut how many of the same were not told since the last one
 * @param facts ids and the like, by name
 */
record Alert(
    AlertKind kind,
    String application,
    String subject,
    String text,
    int leftOut,
    long atMs,
    Map<String, String> facts) {}
