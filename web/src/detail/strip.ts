/** One score with its interval on a line from least to most. */

import { scaleLinear } from "d3-scale";
import { s } from "../dom";
import { interval, number } from "../format";

export function strip(score: number, low: number, high: number, reach: number, colour: string): SVGSVGElement {
  const width = 320, height = 44, y = 16;
  const x = scaleLinear([-reach, reach], [10, width - 10]).clamp(true);
  const ticks = [-reach, 0, reach];
  return s("svg", {
    class: "strip", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${number(score)}, interval ${interval(low, high)}`,
  },
  s("line", { class: "axis", x1: x(-reach), x2: x(reach), y1: y, y2: y }),
  ...ticks.map((t) => s("line", { class: t === 0 ? "zero" : "axis", x1: x(t), x2: x(t), y1: y - (t === 0 ? 12 : 4), y2: y + (t === 0 ? 12 : 4) })),
  ...ticks.map((t) => s("text", { class: "tick", x: x(t), y: height - 2, "text-anchor": t === 0 ? "middle" : t < 0 ? "start" : "end" }, number(t, 1))),
  Number.isFinite(low) && s("line", { class: "whisker", x1: x(low), x2: x(high), y1: y, y2: y }),
  // An end beyond the scale is an arrow.
  ...(Number.isFinite(low) ? [low, high].map((v) => (Math.abs(v) <= reach ? s("line", { class: "whisker", x1: x(v), x2: x(v), y1: y - 6, y2: y + 6 })
    : s("path", { class: "whisker", fill: "none", d: `M${x(v) - 7 * Math.sign(v)} ${y - 6}L${x(v)} ${y}L${x(v) - 7 * Math.sign(v)} ${y + 6}` }))) : []),
  Number.isFinite(score) && s("circle", { class: "score", cx: x(score), cy: y, r: 7, fill: colour }));
}
