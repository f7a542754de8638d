package dev.postrider.engine.services;

import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.Expressions;

/** The threads that evaluate expressions and schemas of tenants, and JSONata on them. */
public record EvaluationServices(Evaluator evaluator, Expressions expressions) {}
