package dev.postrider.engine.services;

import dev.postrider.evaluation.Evaluator;
import dev.postrider.expression.Expressions;

/** The services of the engine that evaluate expressions and schemas of tenants. */
public record EvaluationServices(Evaluator evaluator, Expressions expressions) {}
