/** What explains a cell: sensitive attributes ranked by the share of the association that goes with them. */

import { scaleLinear } from "d3-scale";
import type { Source, Sources } from "../answers";
import { uncertain } from "../colour";
import { button, h, s } from "../dom";
import { number, percent, said } from "../format";

const FIRST = 6;
const WIDTH = 130, ROW = 30;

/** From the raw score to what is left of it: an arrow, with the interval of what is left. */
function figure(source: Source, raw: number, reach: number): SVGSVGElement {
  const x = scaleLinear([-reach, reach], [4, WIDTH - 4]).clamp(true);
  const y = ROW / 2;
  const { partial, partial_low: low, partial_high: high } = source;
  return s("svg", { class: "arrow", viewBox: `0 0 ${WIDTH} ${ROW}`, width: WIDTH, height: ROW, "aria-hidden": "true" },
    s("line", { class: "zero", x1: x(0), x2: x(0), y1: 2, y2: ROW - 2 }),
    partial !== null && s("line", { class: "shift", x1: x(raw), x2: x(partial), y1: y, y2: y }),
    low !== null && high !== null && s("line", { class: "whisker", x1: x(low), x2: x(high), y1: y, y2: y }),
    s("circle", { class: "raw", cx: x(raw), cy: y, r: 5 }),
    partial !== null && s("circle", { class: "left", cx: x(partial), cy: y, r: 5 }));
}

/** An index of the sentence for each source, in the server's order. */
export function sources(answer: Sources, sensitive: string, title: (category: string) => string): HTMLElement {
  const raw = answer.raw ?? 0;
  const reach = Math.max(0.3, ...[raw, answer.raw_low, answer.raw_high].map((v) => Math.abs(v ?? 0))) * 1.1;
  const categories = [...new Set(answer.sources.map((one) => one.category))];
  const list = h("ul", { class: "sources" });
  let only = "";
  let all = false;
  const draw = (): void => {
    const chosen = answer.sources.map((one, i) => ({ one, sentence: answer.sentences[i] ?? "" }))
      .filter(({ one }) => !only || one.category === only);
    list.replaceChildren(...(all ? chosen : chosen.slice(0, FIRST)).map(({ one, sentence }) => h("li", { title: said(sentence) },
      h("span", { class: "who" }, h("b", {}, one.whole ? `${title(one.category)} as a whole` : one.name),
        h("small", {}, one.category === one.name ? "" : title(one.category))),
      figure(one, raw, reach),
      h("span", { class: "left" }, h("span", {}, `${number(raw)} → `, h("b", {}, number(one.partial ?? NaN))),
        h("small", {}, one.share === null ? "share unknown" : `${percent(one.share)} explained`),
        one.share_low !== null && one.share_high !== null && h("small", {}, `${percent(one.share_low)} to ${percent(one.share_high)}`)))));
    more.hidden = all || chosen.length <= FIRST;
    more.textContent = `Show all ${chosen.length}`;
  };
  const more = button("", () => {
    all = true;
    draw();
  }, { class: "text" });
  const filter = h("div", { class: "chips" }, ...["", ...categories].map((category) => button(category ? title(category) : "all", (event) => {
    only = category;
    for (const chip of filter.children) chip.setAttribute("aria-pressed", String(chip === event.currentTarget));
    draw();
  }, { class: category === sensitive ? "chip marked" : "chip", "aria-pressed": String(category === "") })));
  draw();
  // The page asks "is it gender?": what was asked for has its answer, even where something else explains more.
  const asked = answer.sources.findIndex((one) => one.category === sensitive && one.whole);
  const open = uncertain(answer.raw_low ?? NaN, answer.raw_high ?? NaN); // then there is nothing to explain
  const own = asked >= 0 ? asked : answer.sources.findIndex((one) => one.category === sensitive);
  const also = own > 0 && answer.sentences[own] && !open ? h("p", { class: "sentence" }, said(answer.sentences[own])) : null;
  return h("div", {}, h("p", { class: "sentence strong" }, said(answer.sentence)), also, filter, list,
    h("div", { class: "keys" }, h("span", {}, s("svg", { width: 14, height: 14, "aria-hidden": "true" }, s("circle", { class: "raw", cx: 7, cy: 7, r: 5 })), "score"),
      h("span", {}, s("svg", { width: 14, height: 14, "aria-hidden": "true" }, s("circle", { class: "left", cx: 7, cy: 7, r: 5 })), "what is left with it held fixed")),
    more, answer.note ? h("p", { class: "soft" }, answer.note) : null);
}
