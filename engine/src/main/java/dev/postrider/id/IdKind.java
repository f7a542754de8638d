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
  AUDIT("audit_"),
  ENVIRONMENT("env_");

  private final String prefix;

  IdKind(String prefix) {
    this.prefix = prefix;
  }

  public String prefix() {
    return prefix;
  }
}
