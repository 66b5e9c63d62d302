/** The slope of a measurement over time by least squares, and its uncertainty. */

export interface Trend {
  readonly perHour: number;
  /** Half of the 95 % interval around the slope, per hour. */
  readonly uncertainty: number;
  readonly samples: number;
}

export interface Point {
  /** Hours. */
  readonly at: number;
  readonly value: number;
}

/** By the normal distribution, since judged slopes have dozens of samples. */
const sigmas95 = 1.96;

/**
 * Neighbouring samples of memory are correlated, so their effective number is lower: it is reduced by the correlation
 * of each residual with the next one.
 * @throws RangeError for fewer than three points
 */
export function trendOf(points: readonly Point[]): Trend {
  if (points.length < 3) throw new RangeError('A trend needs three points.');
  const samples = points.length;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanAt = mean(points.map(({ at }) => at));
  const meanValue = mean(points.map(({ value }) => value));
  const spread = points.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
  const perHour = points.reduce((sum, { at, value }) => sum + (at - meanAt) * (value - meanValue), 0) / spread;
  const residuals = points.map(({ at, value }) => value - meanValue - perHour * (at - meanAt));
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  if (squares === 0) return { perHour, uncertainty: 0, samples };
  const neighbours = residuals
    .slice(1)
    .reduce((sum, residual, index) => sum + residual * (residuals[index] as number), 0);
  const correlation = Math.min(0.95, Math.max(0, neighbours / squares));
  const independent = Math.max(3, (samples * (1 - correlation)) / (1 + correlation));
  const variance = squares / samples;
  const error = Math.sqrt((variance * samples) / (independent - 2) / spread);
  return { perHour, uncertainty: sigmas95 * error, samples };
}
