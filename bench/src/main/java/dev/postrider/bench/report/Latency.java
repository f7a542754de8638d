package dev.postrider.bench.report;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * A latency distribution in milliseconds.
 *
 * @param curve (percentile, milliseconds) pairs for the plot
 */
public record Latency(
    long count, double p50, double p95, double p99, double max, List<Point> curve) {
  /** One point of the distribution. */
  public record Point(double percentile, double ms) {}

  public static final int DIGITS = 3;
  public static final long HIGHEST_MICROS = 3_600_000_000L;

  private static final double MICROS_PER_MS = 1000.0;
  private static final double[] CURVE = {
    1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99, 99.5, 99.9, 99.99
  };

  public static Histogram newHistogram() {
    return new Histogram(1, HIGHEST_MICROS, DIGITS);
  }

  /** Records a duration; what is outside the range is clamped into it. */
  public static void record(Histogram histogram, long nanos) {
    histogram.recordValue(Math.clamp(nanos / 1000, 1, HIGHEST_MICROS));
  }

  public static String encode(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }

  public static Histogram decode(String text) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(text)), HIGHEST_MICROS);
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("not an encoded histogram", e);
    }
  }

  public static Latency of(Histogram histogram) {
    List<Point> curve = new ArrayList<>();
    for (double percentile : CURVE) {
      curve.add(new Point(percentile, ms(histogram, percentile)));
    }
    return new Latency(
        histogram.getTotalCount(),
        ms(histogram, 50),
        ms(histogram, 95),
        ms(histogram, 99),
        histogram.getMaxValue() / MICROS_PER_MS,
        List.copyOf(curve));
  }

  private static double ms(Histogram histogram, double percentile) {
    return histogram.getValueAtPercentile(percentile) / MICROS_PER_MS;
  }
}
