import { describe, expect, it } from "vitest";
import { correlate, normalPoint } from "../src/correlate";
import { type Along, answer } from "../src/detail/along";

describe("correlation", () => {
  it("knows the points of the normal distribution", () => {
    for (const [p, point] of [[0.025, 1.95996], [0.005, 2.57583], [0.05 / 12, 2.63826], [0.16, 0.99446]]) {
      expect(normalPoint(p)).toBeCloseTo(point, 2);
    }
  });
  it("has Fisher's interval, wider when it must hold for several words", () => {
    const x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], y = [2, 1, 4, 3, 6, 5, 8, 7, 10, 9];
    const one = correlate(x, y, 0.05);
    expect(one.r).toBeCloseTo(0.9394, 4);
    // tanh(atanh(0.9394) ± 1.95996 / √7)
    expect(one.low).toBeCloseTo(0.7582, 3);
    expect(one.high).toBeCloseTo(0.9858, 3);
    const six = correlate(x, y, 0.05 / 6);
    expect(six.r).toBe(one.r);
    expect(six.low).toBeLessThan(one.low);
    expect(six.high).toBeGreaterThan(one.high);
  });
});

describe("is it gender?", () => {
  const genders = { woman: "female", girl: "female", man: "male", boy: "male" };
  const sure = (word: string, r: number): Along => ({ word, r, low: r - 0.1, high: r + 0.1 });
  const say = (...found: Along[]): string => answer("ambitious", "occupations", "gender", found, genders);

  it("is with one and against the other, each with its interval", () => {
    expect(say(sure("man", 0.5), sure("woman", -0.4))).toBe(
      "Over all occupations, what goes with “ambitious” goes with “man” (0.50, 0.40 to 0.60), and against “woman” (−0.40, −0.50 to −0.30).");
  });
  it("says no more of what is not sure", () => {
    expect(say({ word: "man", r: 0.3, low: -0.1, high: 0.6 })).toContain("goes along with no word of gender for sure");
    expect(say(sure("man", 0.5), { word: "boy", r: -0.2, low: -0.5, high: 0.1 })).not.toContain("boy");
  });
  it("is no clear link where words of one gender contradict each other", () => {
    expect(say(sure("man", 0.5), sure("boy", -0.4))).toContain("both male go opposite ways, so this is no clear link with gender");
  });
  it("is people rather than gender where both go the same way", () => {
    expect(say(sure("man", 0.5), sure("woman", 0.4))).toContain("a link with people rather than with gender");
    expect(say(sure("man", 0.5), sure("woman", -0.4))).not.toContain("people");
  });
});
