package dev.postrider.signature;

/** One header to send, its case as configured. */
public record SignatureHeader(String name, String value) {}
