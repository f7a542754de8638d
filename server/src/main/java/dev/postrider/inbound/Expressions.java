package dev.postrider.inbound;

/** Makes extractors of owners' expressions; wired to the expression language by the server. */
@FunctionalInterface
public interface Expressions {

  /**
   * Throws an IllegalArgumentException that says where the text is wrong. What it makes gives null
   * where the expression fails or gives nothing.
   */
  Extractor compile(String expression);

  /** For servers without an expression language. */
  Expressions NONE =
      expression -> {
        throw new IllegalArgumentException(
            "this server has no expressions; use provider, header:NAME, field:a.b or fixed:NAME");
      };
}
