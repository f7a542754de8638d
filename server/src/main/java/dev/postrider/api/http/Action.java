package dev.postrider.api.http;

/** Answers a call, or throws what becomes an error answer. */
@FunctionalInterface
public interface Action {
  void run(Call call) throws Exception;
}
