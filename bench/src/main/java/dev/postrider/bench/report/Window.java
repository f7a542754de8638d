package dev.postrider.bench.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import java.util.Map;

/**
 * The measurements between two points in time.
 *
 * @param delivered requests that the sink answered with 200 at once
 * @param cpuPer100k CPU seconds per 100,000 deliveries, by process
 * @param serverMb the most resident memory that was seen, all instances together
 * @param checkpoints that began in the window; -1 where they cannot be read
 */
@JsonPropertyOrder({
  "label",
  "seconds",
  "accepted",
  "delivered",
  "acceptedPerSecond",
  "deliveredPerSecond"
})
public record Window(
    String label,
    double seconds,
    long accepted,
    long delivered,
    Latency accept,
    Latency endToEnd,
    Map<String, Double> cpuPer100k,
    double serverMb,
    long refused,
    long errors,
    long checkpoints,
    List<Sample> samples) {

  @JsonProperty
  public double acceptedPerSecond() {
    return accepted / seconds;
  }

  @JsonProperty
  public double deliveredPerSecond() {
    return delivered / seconds;
  }

  /** Microseconds of CPU per delivery; 0 when the process was not measured. */
  public double cpuMicros(String process) {
    return cpuPer100k.getOrDefault(process, 0.0) * 10;
  }
}
