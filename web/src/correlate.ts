/** Pearson's correlation with its interval, for what the page itself sets side by side. */

export interface Correlation {
  r: number;
  low: number;
  high: number;
  n: number;
}

/** The point that a normal variable exceeds with a probability below one half (Abramowitz & Stegun 26.2.23: to 0.0005). */
export function normalPoint(p: number): number {
  const t = Math.sqrt(-2 * Math.log(p));
  return t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3);
}

/** The interval is Fisher's: tanh(atanh r ± z / √(n - 3)); it misses with probability `alpha`. */
export function correlate(x: readonly number[], y: readonly number[], alpha: number): Correlation {
  const pairs = x.map((v, i) => [v, y[i]]).filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b));
  const n = pairs.length;
  const none = { r: NaN, low: NaN, high: NaN, n };
  if (n < 4) return none;
  const mx = pairs.reduce((t, [a]) => t + a, 0) / n, my = pairs.reduce((t, [, b]) => t + b, 0) / n;
  let xx = 0, yy = 0, xy = 0;
  for (const [a, b] of pairs) {
    xx += (a - mx) ** 2;
    yy += (b - my) ** 2;
    xy += (a - mx) * (b - my);
  }
  if (xx === 0 || yy === 0) return none;
  const r = Math.max(-1, Math.min(1, xy / Math.sqrt(xx * yy)));
  const z = Math.atanh(Math.max(-1 + 1e-12, Math.min(1 - 1e-12, r))), half = normalPoint(alpha / 2) / Math.sqrt(n - 3);
  return { r, low: Math.tanh(z - half), high: Math.tanh(z + half), n };
}
