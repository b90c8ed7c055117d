/** The names behind an indirect score: how each goes with the target (x) and with the feature (y). */

import { extent } from "d3-array";
import { quadtree } from "d3-quadtree";
import { scaleLinear } from "d3-scale";
import type { Cell, Name } from "../answers";
import { announce, h, replace, s } from "../dom";
import { number } from "../format";
import { neighbour, WAYS } from "../map/frame";

const WIDTH = 360, HEIGHT = 264, LEFT = 56, BOTTOM = 38, TOP = 12, RIGHT = 10;

// Shape as well as colour, for eyes that do not tell the colours apart.
const SHAPES: Record<string, string> = {
  female: "M0 -4 A4 4 0 1 0 0.01 -4 Z",
  male: "M-3.3 -3.3 H3.3 V3.3 H-3.3 Z",
  both: "M0 -4.6 L4.6 0 L0 4.6 L-4.6 0 Z",
  unknown: "M0 -4.4 L4.2 3.2 L-4.2 3.2 Z",
};
const SAID: Record<string, string> = { female: "usually women", male: "usually men", both: "both", unknown: "not known" };

type Known = Name & { x: number; y: number };

export function names(cell: Cell): HTMLElement {
  const known = cell.names.filter((n): n is Known => n.x !== null && n.y !== null);
  const pad = ([a = -1, b = 1]: [number, number] | [undefined, undefined]): [number, number] => {
    const gap = (b - a || 1) * 0.05;
    return [a - gap, b + gap];
  };
  const x = scaleLinear(pad(extent(known, (n) => n.x)), [LEFT, WIDTH - RIGHT]);
  const y = scaleLinear(pad(extent(known, (n) => n.y)), [HEIGHT - BOTTOM, TOP]);
  const kind = (n: Name): string => n.gender ?? "unknown";
  const said = h("p", { class: "said", "aria-live": "off" });
  const usual = `${known.length.toLocaleString("en")} names, each a mark. Point at one to read it, or go there with the arrow keys.`;
  said.textContent = usual;
  const ring = s("circle", { class: "ring", r: 8, visibility: "hidden" });
  const clip = `names-clip-${cell.target}-${cell.feature}`.replace(/[^\w-]/g, "_");
  const { fit } = cell;
  const [x0, x1] = x.domain();
  const svg = s("svg", {
    class: "names", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "application", tabindex: 0,
    "aria-label": `Scatterplot of ${known.length} names: how each goes with ${cell.target}, and with ${cell.feature}; arrow keys go from name to name`,
  },
  s("defs", {}, s("clipPath", { id: clip }, s("rect", { x: LEFT, y: TOP, width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM }))),
  ...x.ticks(5).map((t) => s("g", {}, s("line", { class: t === 0 ? "zero" : "rule", x1: x(t), x2: x(t), y1: TOP, y2: HEIGHT - BOTTOM }),
    s("text", { class: "tick", x: x(t), y: HEIGHT - BOTTOM + 14, "text-anchor": "middle" }, number(t, 1)))),
  ...y.ticks(5).map((t) => s("g", {}, s("line", { class: t === 0 ? "zero" : "rule", y1: y(t), y2: y(t), x1: LEFT, x2: WIDTH - RIGHT }),
    s("text", { class: "tick", x: LEFT - 6, y: y(t) + 4, "text-anchor": "end" }, number(t, 1)))),
  s("g", { "clip-path": `url(#${clip})` },
    ...known.map((n) => s("path", { class: `name ${kind(n)}${n.typed ? " typed" : ""}`, d: SHAPES[kind(n)], transform: `translate(${x(n.x)} ${y(n.y)})` })),
    fit && s("line", { class: "fit", x1: x(x0), x2: x(x1), y1: y(fit.intercept + fit.slope * x0), y2: y(fit.intercept + fit.slope * x1) })),
  ...known.filter((n) => n.typed).map((n) => s("text", { class: "typedname", x: x(n.x) + 7, y: y(n.y) + 4 }, n.name)),
  ring,
  s("text", { class: "axislabel", x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, `goes with ${cell.target} →`),
  s("text", { class: "axislabel", transform: `translate(11 ${TOP}) rotate(-90)`, "text-anchor": "end" }, `goes with ${cell.feature} →`));
  let at: Known | undefined;
  const read = (found: Known | undefined): void => {
    at = found;
    ring.setAttribute("visibility", found ? "visible" : "hidden");
    if (!found) {
      said.textContent = usual;
      return;
    }
    ring.setAttribute("transform", `translate(${x(found.x)} ${y(found.y)})`);
    replace(said, h("b", {}, found.name), ` — ${SAID[kind(found)]}; with ${cell.target} ${number(found.x)}, with ${cell.feature} ${number(found.y)}`);
  };
  const tree = quadtree(known, (n) => x(n.x), (n) => y(n.y));
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const scale = WIDTH / box.width;
    read(tree.find((event.clientX - box.left) * scale, (event.clientY - box.top) * scale, 20));
  });
  svg.addEventListener("keydown", (event) => {
    const way = WAYS[event.key];
    if (!way) return;
    event.preventDefault();
    const [dx, dy] = way;
    const places = known.map((n) => ({ n, x: x(n.x), y: y(n.y) }));
    const here = places.find(({ n }) => n === at);
    // The first key goes to the middle of them.
    read((here ? neighbour(here, places, dx, dy)?.n : tree.find((x.range()[0] + x.range()[1]) / 2, (y.range()[0] + y.range()[1]) / 2)) ?? at);
    announce(said.textContent ?? "");
  });
  for (const end of ["pointerleave", "blur"]) svg.addEventListener(end, () => read(undefined));
  const present = Object.keys(SHAPES).filter((k) => known.some((n) => kind(n) === k));
  const key = h("div", { class: "keys" }, ...present.map((k) => h("span", {},
    s("svg", { width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" }, s("path", { class: `name ${k}`, d: SHAPES[k] })), SAID[k])));
  return h("div", { class: "namesbox" }, svg, key, said);
}
