/** A plane fitted to an attribute over the map: which way it grows, and how much of it the map explains. */

export interface Plane {
  /** Unit vector of the way in which the attribute grows. */
  direction: [number, number];
  r2: number;
}

/** Least squares of v on x and y. Null where the points do not span a plane, or v does not vary. */
export function plane(points: readonly { x: number; y: number; v: number }[]): Plane | null {
  const known = points.filter((p) => Number.isFinite(p.v));
  const n = known.length;
  if (n < 4) return null;
  const mean = (of: (p: { x: number; y: number; v: number }) => number): number => known.reduce((a, p) => a + of(p), 0) / n;
  const mx = mean((p) => p.x), my = mean((p) => p.y), mv = mean((p) => p.v);
  let xx = 0, xy = 0, yy = 0, xv = 0, yv = 0, vv = 0;
  for (const { x, y, v } of known) {
    const dx = x - mx, dy = y - my, dv = v - mv;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
    xv += dx * dv;
    yv += dy * dv;
    vv += dv * dv;
  }
  const determinant = xx * yy - xy * xy;
  if (determinant <= 1e-12 * xx * yy || vv === 0) return null;
  const a = (xv * yy - yv * xy) / determinant, b = (yv * xx - xv * xy) / determinant;
  const length = Math.hypot(a, b);
  return length === 0 ? null : { direction: [a / length, b / length], r2: (a * xv + b * yv) / vv };
}
