package dev.postrider.id;

/** The kinds of ids, with their text prefixes. */
public enum IdKind {
  APPLICATION("app_"),
  ENDPOINT("ep_"),
  MESSAGE("msg_"),
  DELIVERY("dlv_"),
  ATTEMPT("atmpt_"),
  EVENT_TYPE("evtype_"),
  API_KEY("key_"),
  INSTANCE("inst_"),
  TASK("qtask_"),
  SOURCE("src_"),
  QUEUE("queue_"),
  ROUTE("route_"),
  INTEGRATION("integ_"),
  REJECTED("rej_"),
  LIVE_EVENT("live_"),
  WORKFLOW("wf_"),
  RUN("run_"),
  AUDIT("audit_"),
  ENVIRONMENT("env_");

  private final String prefix;

  IdKind(String prefix) {
    this.prefix = prefix;
  }

  public String prefix() {
    return prefix;
  }

  /**
   * @throws IllegalArgumentException if the text is not an id of this kind
   */
  Id parsed(String text) {
    Id id = Id.parse(this, text);
    if (id == null) {
      throw new IllegalArgumentException(
          "\"%s\" is not a valid id: it must start with %s".formatted(text, prefix));
    }
    return id;
  }
}
