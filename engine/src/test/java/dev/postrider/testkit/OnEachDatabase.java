package dev.postrider.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * All tests of the class run on SQLite and on PostgreSQL. The class or its superclass has a field
 * {@code @Parameter Databases.Kind kind}. Maven's reports add the number of the database to a
 * test's name: {@code [1]} is SQLite, {@code [2]} is PostgreSQL.
 *
 * <p>The tests of the class run concurrently, as many at once as classes do elsewhere: otherwise
 * both databases would take turns in one thread. So such a class has no static mutable state.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ParameterizedClass(name = "{0}")
@EnumSource(Databases.Kind.class)
@Execution(ExecutionMode.CONCURRENT)
public @interface OnEachDatabase {}
