import { describe, expect, it } from "vitest";
import { colours, reach, uncertain } from "../src/colour";
import { interval, list, number, percent, pValue } from "../src/format";
import { place, type Point } from "../src/labels";

describe("colours", () => {
  const channels = (c: string): number[] => c.match(/\d+/g)!.map(Number);
  for (const theme of ["light", "dark"] as const) {
    it(`is orange above zero, purple below and neutral at it (${theme})`, () => {
      const [r, , b] = channels(colours(1, theme)(0.7));
      expect(r).toBeGreaterThan(b + 40);
      const [r2, , b2] = channels(colours(1, theme)(-0.7));
      expect(b2).toBeGreaterThan(r2 + 30);
      const neutral = channels(colours(1, theme)(0));
      expect(Math.max(...neutral) - Math.min(...neutral)).toBeLessThan(16);
    });
  }
  it("takes the ends beyond its reach", () => expect(colours(0.5, "light")(3)).toBe(colours(0.5, "light")(0.5)));
  it("stretches to the strongest value", () => {
    expect(reach([0.31, -0.42, NaN], true)).toBe(0.5);
    expect(reach([0.4], true)).toBe(0.4);
    expect(reach([], true)).toBe(0.1);
    expect(reach([0.31], false)).toBe(1);
  });
  it("is uncertain where the interval crosses zero or is unknown", () => {
    expect(uncertain(-0.1, 0.2)).toBe(true);
    expect(uncertain(0.1, 0.2)).toBe(false);
    expect(uncertain(-0.3, -0.1)).toBe(false);
    expect(uncertain(NaN, NaN)).toBe(true);
  });
});

describe("labels", () => {
  const points: Point[] = Array.from({ length: 120 }, (_, i) => ({
    x: 40 + 260 * Math.abs(Math.sin(i * 12.9898)),
    y: 40 + 200 * Math.abs(Math.sin(i * 78.233)),
    width: 50, height: 14, priority: i === 17 ? Infinity : -i,
  }));
  const frame = { width: 340, height: 280 };
  const placed = place(points, frame);
  it("never puts one over another, nor outside the frame", () => {
    placed.forEach((a, i) => {
      expect(a.x).toBeGreaterThanOrEqual(0);
      expect(a.x + 50).toBeLessThanOrEqual(frame.width);
      for (const b of placed.slice(0, i)) {
        const apart = a.x + 50 <= b.x || b.x + 50 <= a.x || a.y + 14 <= b.y || b.y + 14 <= a.y;
        expect(apart).toBe(true);
      }
    });
  });
  it("places some, and always the one that must be seen", () => {
    expect(placed.length).toBeGreaterThan(10);
    expect(placed.map((p) => p.index)).toContain(17);
  });
});

describe("words and numbers", () => {
  it("writes numbers as people read them", () => {
    expect(number(-0.004)).toBe("0.00");
    expect(number(-0.25)).toBe("−0.25");
    expect(number(NaN)).toBe("no score");
    expect(interval(-0.1, 0.25)).toBe("−0.10 to 0.25");
    expect(pValue(0.00004)).toBe("p < 0.001");
    expect(percent(0.635)).toBe("64 %");
    expect(list(["a", "b", "c"])).toBe("a, b and c");
    expect(list(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more");
  });
});
