package dev.postrider.api.http;

/** Handles a request, or throws an exception that becomes an error response. */
@FunctionalInterface
public interface Action {
  void run(Call call) throws Exception;
}
