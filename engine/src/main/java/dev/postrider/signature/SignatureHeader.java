package dev.postrider.signature;

/** A header with a signature, id or timestamp; its name has the configured case. */
public record SignatureHeader(String name, String value) {}
