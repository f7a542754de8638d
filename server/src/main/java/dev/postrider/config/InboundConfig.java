package dev.postrider.config;

import java.time.Duration;

/**
 * The settings of the inbound gateway: limits, and retention of its records.
 *
 * @param lag how late deliveries may be before an alert is sent
 * @param rate requests per second from one address; 0 means no limit
 */
public record InboundConfig(
    int concurrent, int rate, Duration rejected, Duration live, Duration lag) {
  public InboundConfig {
    EngineSettings.INBOUND_CONCURRENT.check(concurrent);
    EngineSettings.INBOUND_RATE.check(rate);
    EngineSettings.RETENTION_REJECTED.check(rejected);
    EngineSettings.RETENTION_LIVE.check(live);
    EngineSettings.ALERT_LAG.check(lag);
  }

  static InboundConfig from(Values values) {
    return new InboundConfig(
        values.get(EngineSettings.INBOUND_CONCURRENT),
        values.get(EngineSettings.INBOUND_RATE),
        values.get(EngineSettings.RETENTION_REJECTED),
        values.get(EngineSettings.RETENTION_LIVE),
        values.get(EngineSettings.ALERT_LAG));
  }
}
