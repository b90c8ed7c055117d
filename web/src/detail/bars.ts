/** All scores of one word as bars with their intervals. */

import { scaleLinear } from "d3-scale";
import { uncertain } from "../colour";
import { button, h, s } from "../dom";
import { interval, number } from "../format";

export interface Bar {
  word: string;
  score: number;
  low: number;
  high: number;
  /** Said beside the score. */
  note?: string;
}

const ROW = 24;

/** A list of buttons, each with its bar; the bars share one scale with zero in the middle. */
export function bars(
  list: readonly Bar[], selected: string, reach: number, colour: (value: number) => string, choose: (word: string) => void,
): HTMLElement {
  const width = list.some((bar) => bar.note) ? 132 : 180; // a note needs room, and so do the words
  const x = scaleLinear([-reach, reach], [2, width - 2]).clamp(true);
  const items = list.map((bar) => {
    const { word, score, low, high, note = "" } = bar;
    const known = Number.isFinite(score);
    const unsure = known && uncertain(low, high);
    const thick = unsure ? 6 : 14;
    const figure = s("svg", { class: "bar", viewBox: `0 0 ${width} ${ROW}`, width, height: ROW, "aria-hidden": "true" },
      s("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: ROW }),
      known && s("rect", { class: "fill", x: Math.min(x(0), x(score)), width: Math.max(1, Math.abs(x(score) - x(0))), y: (ROW - thick) / 2, height: thick, fill: colour(score) }),
      known && Number.isFinite(low) && s("line", { class: "whisker thin", x1: x(low), x2: x(high), y1: ROW / 2, y2: ROW / 2 }));
    return h("li", {}, button(h("span", { class: "barrow" }, h("span", { class: "word" }, word), figure,
      h("span", { class: "value" }, number(score), note ? h("small", {}, note) : null)), () => choose(word), {
      class: word === selected ? "barbutton selected" : "barbutton",
      title: `${word}: ${number(score)} (${interval(low, high)})`,
      "aria-label": `${word}: ${number(score)}, interval ${interval(low, high)}${note && `, ${note}`}`,
    }));
  });
  return h("ul", { class: "bars", tabindex: -1 }, ...items);
}

/** The same as one figure, for export. */
export function barsFigure(list: readonly Bar[], reach: number, colour: (value: number) => string): SVGSVGElement {
  const width = 420, left = 150;
  const x = scaleLinear([-reach, reach], [left, width - 60]).clamp(true);
  return s("svg", { class: "offstage", viewBox: `0 0 ${width} ${list.length * 18 + 8}`, width, height: list.length * 18 + 8 },
    s("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: list.length * 18 }),
    ...list.flatMap(({ word, score, low, high }, i) => {
      const y = i * 18 + 9;
      const thick = uncertain(low, high) ? 5 : 12;
      return [
        s("text", { class: "tick", x: left - 8, y: y + 4, "text-anchor": "end" }, word),
        s("text", { class: "tick", x: width - 4, y: y + 4, "text-anchor": "end" }, number(score)),
        ...(Number.isFinite(score) ? [
          s("rect", { x: Math.min(x(0), x(score)), width: Math.max(1, Math.abs(x(score) - x(0))), y: y - thick / 2, height: thick, fill: colour(score) }),
          s("line", { class: "whisker thin", x1: x(low), x2: x(high), y1: y, y2: y }),
        ] : []),
      ];
    }));
}
