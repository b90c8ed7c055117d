/** From the map's coordinates to pixels and back: the same scale on both axes, y upwards. */

export interface Frame {
  x(value: number): number;
  y(value: number): number;
  backX(pixel: number): number;
  backY(pixel: number): number;
}

export function frame(
  points: readonly { x: number; y: number }[], width: number, height: number, zoom: readonly number[] | null, margin = 32,
): Frame {
  let [x0, y0, x1, y1] = zoom ?? [Infinity, Infinity, -Infinity, -Infinity];
  if (!zoom) {
    for (const { x, y } of points) {
      x0 = Math.min(x0, x);
      x1 = Math.max(x1, x);
      y0 = Math.min(y0, y);
      y1 = Math.max(y1, y);
    }
  }
  if (!(x1 > x0)) [x0, x1] = [(x0 || 0) - 1, (x0 || 0) + 1];
  if (!(y1 > y0)) [y0, y1] = [(y0 || 0) - 1, (y0 || 0) + 1];
  const scale = Math.min((width - 2 * margin) / (x1 - x0), (height - 2 * margin) / (y1 - y0));
  const mx = (x0 + x1) / 2, my = (y0 + y1) / 2;
  return {
    x: (v) => width / 2 + (v - mx) * scale,
    y: (v) => height / 2 - (v - my) * scale,
    backX: (p) => (p - width / 2) / scale + mx,
    backY: (p) => my - (p - height / 2) / scale,
  };
}

/** Which way an arrow key goes on the screen. */
export const WAYS: Readonly<Record<string, [number, number]>> = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The nearest point in the way of an arrow key: within 45° to either side if there is one. */
export function neighbour<T extends { x: number; y: number }>(from: T, points: readonly T[], dx: number, dy: number): T | null {
  let best: T | null = null, least = Infinity;
  for (const p of points) {
    if (p === from) continue;
    const along = (p.x - from.x) * dx + (p.y - from.y) * dy;
    const aside = Math.abs((p.x - from.x) * dy - (p.y - from.y) * dx);
    if (along <= 0) continue;
    const cost = Math.hypot(along, aside) * (aside > along ? 4 : 1);
    if (cost < least) {
      least = cost;
      best = p;
    }
  }
  return best;
}
