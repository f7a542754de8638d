package dev.postrider.config;

import java.time.Duration;

/**
 * The bounds of the inbound gateway, and how long its traces are kept.
 *
 * @param lag how late deliveries may be before an alert says so
 * @param rate requests a second from one address; 0 means no limit
 */
public record InboundConfig(
    int concurrent, int rate, Duration rejected, Duration live, Duration lag) {
  public InboundConfig {
    Settings.INBOUND_CONCURRENT.check(concurrent);
    Settings.INBOUND_RATE.check(rate);
    Settings.RETENTION_REJECTED.check(rejected);
    Settings.RETENTION_LIVE.check(live);
    Settings.ALERT_LAG.check(lag);
  }

  static InboundConfig from(Values values) {
    return new InboundConfig(
        values.get(Settings.INBOUND_CONCURRENT),
        values.get(Settings.INBOUND_RATE),
        values.get(Settings.RETENTION_REJECTED),
        values.get(Settings.RETENTION_LIVE),
        values.get(Settings.ALERT_LAG));
  }
}
