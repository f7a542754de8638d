/**
 * The engine as a library. {@code dev.postrider.engine} is its API, {@code dev.postrider.options}
 * what it can be configured with, and {@code dev.postrider.id} the ids. All else is internal; what
 * the server is built on is exported to the server only.
 */
module dev.postrider.engine {
  requires com.dashjoin.jsonata;
  // Optional for the validator of JSON Schemas: without it, date-time is checked by other rules.
  requires com.ethlo.time;
  requires com.google.crypto.tink;
  requires com.networknt.schema;
  requires com.nimbusds.jose.jwt;
  requires com.zaxxer.hikari;
  requires java.management;
  requires java.net.http;
  requires transitive java.sql;
  requires jdk.management;
  requires org.apache.httpcomponents.client5.httpclient5;
  requires org.apache.httpcomponents.core5.httpcore5;
  requires org.jdbi.v3.core;
  requires static org.jspecify;
  requires org.postgresql.jdbc;
  requires org.snakeyaml.engine.v2;
  requires org.xerial.sqlitejdbc;
  requires re2j;
  requires tools.jackson.databind;

  // What is used by libraries that have no module-info in which they could require it: Jdbi, the
  // HTTP client and the PostgreSQL driver.
  requires io.leangen.geantyref;
  requires java.naming;
  requires java.security.jgss;
  requires jdk.jfr;
  requires jdk.net;

  exports dev.postrider.engine;
  exports dev.postrider.id;
  exports dev.postrider.options;
  exports dev.postrider.audit to
      dev.postrider.server;
  exports dev.postrider.crypto to
      dev.postrider.server;
  exports dev.postrider.delivery to
      dev.postrider.server;
  exports dev.postrider.delivery.command to
      dev.postrider.server;
  exports dev.postrider.delivery.http to
      dev.postrider.server;
  exports dev.postrider.delivery.http.address to
      dev.postrider.server;
  exports dev.postrider.delivery.store to
      dev.postrider.server;
  exports dev.postrider.endpoint to
      dev.postrider.server;
  exports dev.postrider.engine.services to
      dev.postrider.server;
  exports dev.postrider.evaluation to
      dev.postrider.server;
  exports dev.postrider.event to
      dev.postrider.server;
  exports dev.postrider.eventtype to
      dev.postrider.server;
  exports dev.postrider.expression to
      dev.postrider.server;
  exports dev.postrider.field to
      dev.postrider.server;
  exports dev.postrider.json to
      dev.postrider.server;
  exports dev.postrider.jwt to
      dev.postrider.server;
  exports dev.postrider.limit to
      dev.postrider.server;
  exports dev.postrider.message to
      dev.postrider.server;
  exports dev.postrider.net to
      dev.postrider.server;
  exports dev.postrider.queue to
      dev.postrider.server;
  exports dev.postrider.signature to
      dev.postrider.server;
  exports dev.postrider.storage to
      dev.postrider.server;
  exports dev.postrider.task to
      dev.postrider.server;
  exports dev.postrider.tenant to
      dev.postrider.server;
  exports dev.postrider.tenant.key to
      dev.postrider.server;
  exports dev.postrider.text to
      dev.postrider.server;
  exports dev.postrider.thread to
      dev.postrider.server;
  exports dev.postrider.time to
      dev.postrider.server;
}
