/** The legend: the scale, where the present values lie on it, and what small and crossed cells mean. */

import { colours, type Theme } from "./colour";
import { h, s } from "./dom";
import { number } from "./format";

const WIDTH = 208, BAR = 8, BINS = 52, TALL = 16;

/** How many values fall into each of the scale's parts, as shares of the fullest. */
export function spread(values: Iterable<number>, reach: number, bins = BINS): number[] {
  const counts = new Array<number>(bins).fill(0);
  for (const v of values) {
    if (Number.isFinite(v)) counts[Math.max(0, Math.min(bins - 1, Math.floor(((v / reach + 1) / 2) * bins)))]++;
  }
  const most = Math.max(1, ...counts);
  return counts.map((c) => c / most);
}

export function legend(values: Iterable<number>, reach: number, theme: Theme, unit: string): SVGSVGElement {
  const colour = colours(reach, theme);
  const step = WIDTH / BINS;
  const bars = spread(values, reach).map((share, i) =>
    s("rect", { class: "bin", x: i * step, width: step - 0.5, y: TALL * (1 - share), height: TALL * share }));
  const shades = Array.from({ length: BINS }, (_, i) => s("rect", {
    x: i * step, width: step + 0.5, y: TALL + 1, height: BAR, fill: colour(((i + 0.5) / BINS) * 2 * reach - reach),
  }));
  const ticks = [-reach, 0, reach].map((v, i) =>
    s("text", { class: "tick", x: (i * WIDTH) / 2, y: TALL + BAR + 14, "text-anchor": ["start", "middle", "end"][i] }, number(v, reach < 10 ? 1 : 0)));
  return s("svg", {
    class: "scale", viewBox: `0 0 ${WIDTH} ${TALL + BAR + 18}`, width: WIDTH, height: TALL + BAR + 18, role: "img",
    "aria-label": `Colour scale of the ${unit}, from ${number(-reach)} (purple) through 0 to ${number(reach)} (orange), with how many cells lie where`,
  }, ...bars, ...shades, ...ticks);
}

/** What a figure's legend consists of where it stands on the page. */
export const legendOf = (box: ParentNode): Element[] => [...box.querySelectorAll("svg.scale, .keys")];

export const keys = (sure = "sure of its direction", open = "interval crosses zero"): HTMLElement => h("div", { class: "keys" },
  h("span", {}, s("svg", { width: 16, height: 16, "aria-hidden": "true" }, s("rect", { class: "key", x: 1, y: 1, width: 14, height: 14 })), sure),
  h("span", {}, s("svg", { width: 16, height: 16, "aria-hidden": "true" }, s("rect", { class: "key", x: 5, y: 5, width: 6, height: 6 })), open),
  h("span", {}, s("svg", { width: 16, height: 16, "aria-hidden": "true" }, s("path", { class: "keyline", d: "M5 5 L11 11 M11 5 L5 11" })), "no score"));
