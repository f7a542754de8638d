package dev.postrider.workflow.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.workflow.data.TextTemplate.Computed;
import dev.postrider.workflow.data.TextTemplate.Literal;
import dev.postrider.workflow.data.TextTemplate.SecretName;
import org.junit.jupiter.api.Test;

/** Texts with expressions and secrets. */
final class TextTemplateTest {
  @Test
  void expressionsAndSecretsAreParts() {
    TextTemplate template = TextTemplate.parse("a{{ b.c }}d{{secrets.PAY_1}}{{e}}");
    assertThat(template.parts())
        .containsExactly(
            new Literal("a"),
            new Computed("b.c", 3),
            new Literal("d"),
            new SecretName("PAY_1"),
            new Computed("e", 30));
    assertThat(template.isLiteral()).isFalse();
    assertThat(template.secrets()).containsExactly("PAY_1");
    assertThat(template.expressions()).extracting(Computed::expression).containsExactly("b.c", "e");
  }

  @Test
  void aTextWithoutBracesIsLiteral() {
    assertThat(TextTemplate.parse("a { b } c").parts()).containsExactly(new Literal("a { b } c"));
    assertThat(TextTemplate.parse("").parts()).containsExactly(new Literal(""));
    assertThat(TextTemplate.parse("").isLiteral()).isTrue();
  }

  @Test
  void anExpressionMayHaveBracesAndQuotes() {
    assertThat(TextTemplate.parse("x{{ {\"a\":{\"b\":1}}.a.b & '}}' & \"\\\"}}\" }}y").parts())
        .containsExactly(
            new Literal("x"),
            new Computed("{\"a\":{\"b\":1}}.a.b & '}}' & \"\\\"}}\"", 3),
            new Literal("y"));
  }

  @Test
  void anExpressionOfSecretsIsNotASecret() {
    assertThat(TextTemplate.parse("{{ secrets.PAY & 'x' }}").secrets()).isEmpty();
  }

  @Test
  void anOpenExpressionIsAnError() {
    assertThatThrownBy(() -> TextTemplate.parse("ab{{ c"))
        .isInstanceOf(TextTemplate.Unclosed.class)
        .hasMessage("has {{ at position 2 without }}; close it");
  }
}
