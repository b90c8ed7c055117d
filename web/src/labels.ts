/** Labels of points that neither overlap each other nor cover a point: the most wanted are placed first. */

export interface Point {
  x: number;
  y: number;
  /** Size of the label in pixels. */
  width: number;
  height: number;
  /** Labels of higher priority are placed first; those of Infinity are always placed. */
  priority: number;
}

export interface Placed {
  /** Place in the list that was given. */
  index: number;
  /** Left and top of the label. */
  x: number;
  y: number;
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const meets = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Cells of a coarse grid, so that a box is compared with its neighbours only. */
class Grid {
  private readonly cells = new Map<string, Box[]>();
  constructor(private readonly size: number) {}

  private *keys(box: Box): Generator<string> {
    for (let i = Math.floor(box.left / this.size); i <= Math.floor(box.right / this.size); i++) {
      for (let j = Math.floor(box.top / this.size); j <= Math.floor(box.bottom / this.size); j++) yield `${i},${j}`;
    }
  }

  add(box: Box): void {
    for (const key of this.keys(box)) {
      const cell = this.cells.get(key);
      if (cell) cell.push(box);
      else this.cells.set(key, [box]);
    }
  }

  hits(box: Box): number {
    const found = new Set<Box>();
    for (const key of this.keys(box)) for (const b of this.cells.get(key) ?? []) if (meets(b, box)) found.add(b);
    return found.size;
  }
}

export function place(points: readonly Point[], frame: { width: number; height: number }, radius = 5, obstacles: readonly Box[] = []): Placed[] {
  const taken = new Grid(64);
  const dots = new Grid(64);
  for (const box of obstacles) taken.add(box);
  for (const p of points) {
    dots.add({ left: p.x - radius, top: p.y - radius, right: p.x + radius, bottom: p.y + radius });
  }
  const placed: Placed[] = [];
  const first = points.map((_, i) => i).sort((a, b) => points[b].priority - points[a].priority || a - b);
  for (const index of first) {
    const { x, y, width: w, height: h, priority } = points[index];
    const gap = radius + 2;
    const candidates: [number, number][] = [
      [x + gap, y - h / 2],
      [x - gap - w, y - h / 2],
      [x - w / 2, y - gap - h],
      [x - w / 2, y + gap],
      [x + gap * 0.7, y - gap * 0.7 - h],
      [x + gap * 0.7, y + gap * 0.7],
      [x - gap * 0.7 - w, y - gap * 0.7 - h],
      [x - gap * 0.7 - w, y + gap * 0.7],
    ];
    let best: { box: Box; cost: number } | null = null;
    for (const [left, top] of candidates) {
      const box = { left, top, right: left + w, bottom: top + h };
      if (left < 0 || top < 0 || box.right > frame.width || box.bottom > frame.height) continue;
      const cost = taken.hits(box) * 100 + dots.hits(box);
      if (!best || cost < best.cost) best = { box, cost };
      if (cost === 0) break;
    }
    if (!best || (best.cost > 0 && priority !== Infinity)) continue;
    taken.add(best.box);
    placed.push({ index, x: best.box.left, y: best.box.top });
  }
  return placed;
}
