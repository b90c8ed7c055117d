/** Two models, or direct against indirect: where do they differ, and do they agree as a whole? */

import { scaleLinear } from "d3-scale";
import type { CompareHeader } from "./answers";
import { Slot } from "./api";
import type { App } from "./app";
import { colours, reach } from "./colour";
import { asked } from "./data";
import { button, h, replace, s, theme } from "./dom";
import { csv, fileName, saveCsv, savePng, saveSvg, standalone } from "./export";
import { interval, number, plural, said } from "./format";
import { keys, legend, legendOf } from "./legend";
import { menu, Panel } from "./panel";
import { ends } from "./sorting";
import { Table } from "./table";
import { tableFigure } from "./table/figure";
import { TableView } from "./table/view";

const HELP_TABLE = [
  "Each cell is the second score less the first. Orange: higher in the second; purple: higher in the first. A small square: the interval of the difference crosses zero, so they may well be the same.",
  "The rows and columns with the largest differences come first. Click a cell to see it in the scatterplot.",
];
const HELP_PLOT = [
  "Each dot is one pair of words, placed by its two scores. On the slanted line both say the same. The correlation says how far the two agree as a whole.",
];

export class CompareView {
  readonly element = h("div", { class: "two" });
  private readonly table: Panel;
  private readonly plot: Panel;
  private readonly view: TableView;
  private readonly foot = h("div", { class: "foot" });
  private readonly slot = new Slot();
  private shownFor = "";
  private found: ReturnType<typeof Table.difference> | null = null;
  private picked = { target: "", feature: "" };

  constructor(private readonly app: App) {
    const name = (): string => fileName("compare", app.model.name, app.state.against);
    this.table = new Panel("compare-table", "Differences", HELP_TABLE, [
      menu("Export", "Export the differences", () => [
        { text: "All differences, as CSV", run: () => this.saveCsv(name()) },
        { text: "Figure, as SVG", run: () => this.tableFigure((text) => saveSvg(name(), text)) },
        { text: "Figure, as PNG", run: () => this.tableFigure((text) => void savePng(name(), text)) },
      ]),
    ]);
    this.plot = new Panel("compare-plot", "Agreement", HELP_PLOT, [
      menu("Export", "Export the scatterplot", () => [
        { text: "Figure, as SVG", run: () => this.figure((text) => saveSvg(name(), text)) },
        { text: "Figure, as PNG", run: () => this.figure((text) => void savePng(name(), text)) },
      ]),
    ]);
    const pick = (target: string, feature: string): void => this.pick(target, feature);
    this.view = new TableView({
      click: (axis, word) => this.sortBy(axis, word), pin: () => {}, move: () => {}, hover: () => {}, menu: () => {}, select: pick,
    });
    this.table.body.append(this.view.element, this.foot);
    this.element.append(this.table.element, this.plot.element);
  }

  async draw(): Promise<void> {
    const { app } = this;
    const { state } = app;
    const against = app.against();
    replace(this.table.tools, button("Most different first", () => this.sortBy(null, ""), { class: "tool" }));
    if (!against) this.plot.empty(h("p", { class: "soft" }, "Nothing to compare yet."));
    if (!against) return this.table.empty(h("p", {}, "Start Tiltmeter with two models to compare them: tiltmeter explore MODEL MODEL."));
    const key = JSON.stringify([asked(state), state.words, against, theme()]);
    if (key === this.shownFor) return;
    this.shownFor = key;
    const start = (): void => {
      this.shownFor = "";
      void this.draw();
    };
    const timer = setTimeout(() => (this.report = this.table.loading("Comparing.", () => {
      this.slot.cancel();
      this.shownFor = "";
      this.table.empty(h("p", {}, "Cancelled."), button("Compare again", start));
    })), 120);
    try {
      const body = await this.slot.run((signal) => app.data.compare(asked(state), state.words, against, { signal, progress: (p) => this.report?.(p) }));
      if (!body) return;
      this.found = Table.difference(body);
      this.picked = { target: "", feature: "" };
      this.table.ready();
      this.plot.ready();
      this.order = null;
      this.drawTable();
      this.drawPlot();
    } catch (error) {
      this.shownFor = "";
      this.table.failed(error, start);
      this.plot.empty(h("p", { class: "soft" }, "Nothing to compare."));
    } finally {
      clearTimeout(timer);
      this.report = null;
    }
  }

  private report: ReturnType<Panel["loading"]> | null = null;
  private order: { axis: "columns" | "rows"; word: string } | null = null;

  private sortBy(axis: "columns" | "rows" | null, word: string): void {
    const again = this.order && axis === this.order.axis && word === this.order.word;
    this.order = axis && !again ? { axis, word } : null;
    this.drawTable();
  }

  /** Rows and columns, those that differ most first; by a click, those that differ most for one word. */
  private words(axis: "columns" | "rows"): string[] {
    const { table } = this.found!;
    const over = axis === "columns" ? table.rows : table.columns;
    const value = (word: string, other: string): number =>
      (axis === "columns" ? table.of(word, other) : table.of(other, word))?.score ?? NaN;
    const by = this.order && this.order.axis !== axis ? this.order.word : null;
    const score = (word: string): number => {
      if (by !== null) return value(word, by);
      let total = 0, n = 0;
      for (const other of over) {
        const v = value(word, other);
        if (Number.isFinite(v)) [total, n] = [total + Math.abs(v), n + 1];
      }
      return n ? total / n : -Infinity;
    };
    const keyed = table[axis].map((word) => [word, score(word)] as const);
    keyed.sort((a, b) => (Number.isNaN(b[1]) ? -Infinity : b[1]) - (Number.isNaN(a[1]) ? -Infinity : a[1]));
    const sorted = keyed.map(([w]) => w);
    return by === null ? sorted : ends(sorted, this.app.state.count);
  }

  private drawTable(): void {
    const { table, header } = this.found!;
    const { app } = this;
    const far = reach(table.scores, true);
    const none = { pinned: new Set<string>(), typed: new Set<string>() };
    const sorted = new Map(this.order ? [[this.order.word, 1 as const]] : []);
    const columns = this.words("columns"), rows = this.words("rows");
    this.view.show({
      columns, groups: [{ label: "", table, rows }], colour: colours(far, theme()),
      labels: { columns: `${app.title(app.state.targets)}: a click sorts the rows by difference`, rows: `${app.title(app.state.features)}: a click sorts the columns by difference` },
      marks: { columns: { ...none, selected: this.picked.target, sorted }, rows: { ...none, selected: this.picked.feature, sorted } },
      selected: this.picked,
    });
    this.table.sentence.textContent = said(header.sentence);
    replace(this.foot, legend(table.scores, far, theme(), "differences"), h("div", { class: "beside" }, keys("sure to differ", "may be the same"),
      header.unit === "sd" && h("span", {}, "The two have different units: every number here is in standard deviations (sd) of its own table.")));
  }

  private unit = (): string => (this.found!.header.unit === "sd" ? " sd" : "");

  private label = (side: { model: string; kind: string }): string => {
    const { header } = this.found!;
    const other = header.a.model === header.b.model;
    const name = this.app.catalogue.models.find((m) => m.id === side.model)?.name ?? side.model;
    return other ? `the ${side.kind} score${header.unit === "sd" ? ", in sd" : ""}` : name;
  };

  private drawPlot(): void {
    const { header, a, b, table } = this.found!;
    this.plot.sentence.textContent = header.correlation === null ? "The two share too few cells to say whether they agree."
      : `Over ${plural(header.n_cells, "cell")}, the two have a correlation of ${number(header.correlation)} (${interval(header.low ?? NaN, header.high ?? NaN)}).`;
    replace(this.plot.body, this.scatter(header, a, b, table), h("h3", {}, "Where they differ most"),
      h("ul", { class: "differences" }, ...header.strongest.map((d) => h("li", {}, button(h("span", { class: "barrow" },
        h("span", { class: "word" }, `${d.target} — ${d.feature}`),
        h("span", { class: "value" }, `${number(d.a)} against ${number(d.b)}${this.unit()}`, h("small", {}, `${d.difference > 0 ? "+" : ""}${number(d.difference)} (${interval(d.low, d.high)})`))),
      () => this.pick(d.target, d.feature), { class: "barbutton" })))));
  }

  /** Up to some 60,000 dots, as one path. */
  private scatter(header: CompareHeader, a: Float32Array, b: Float32Array, table: Table): HTMLElement {
    const width = 440, height = 380, left = 48, bottom = 44, top = 8, right = 8;
    const bound = (values: Float32Array): number => reach(values, true);
    const fx = bound(a), fy = bound(b);
    const x = scaleLinear([-fx, fx], [left, width - right]), y = scaleLinear([-fy, fy], [height - bottom, top]);
    const svg = s("svg", { class: "agree", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Scatterplot of ${header.n_cells} pairs of words: ${this.label(header.a)} against ${this.label(header.b)}` },
      ...x.ticks(5).map((t) => s("g", {}, s("line", { class: t === 0 ? "zero" : "rule", x1: x(t), x2: x(t), y1: top, y2: height - bottom }), s("text", { class: "tick", x: x(t), y: height - bottom + 15, "text-anchor": "middle" }, number(t, 1)))),
      ...y.ticks(5).map((t) => s("g", {}, s("line", { class: t === 0 ? "zero" : "rule", y1: y(t), y2: y(t), x1: left, x2: width - right }), s("text", { class: "tick", x: left - 6, y: y(t) + 4, "text-anchor": "end" }, number(t, 1)))),
      s("path", { class: "cloud", d: cloud(a, b, x, y, header.n_cells < 2_000 ? 5 : header.n_cells < 10_000 ? 3 : 2) }),
      s("line", { class: "fit", x1: x(-Math.min(fx, fy)), x2: x(Math.min(fx, fy)), y1: y(-Math.min(fx, fy)), y2: y(Math.min(fx, fy)) }),
      s("text", { class: "axislabel", x: width - right, y: height - 8, "text-anchor": "end" }, `${this.label(header.a)} →`),
      s("text", { class: "axislabel", transform: `translate(13 ${top}) rotate(-90)`, "text-anchor": "end" }, `${this.label(header.b)} →`),
    );
    const look = h("div", {});
    const mark = (): void => {
      svg.querySelectorAll(".picked").forEach((e) => e.remove());
      const { target, feature } = this.picked;
      replace(look, target ? button(`Look behind ${target} — ${feature}`, () => this.app.store.set({ view: "explore", target, feature }), { class: "tool" }) : null);
      const column = table.column(this.picked.target), row = table.row(this.picked.feature);
      if (column < 0 || row < 0) return;
      const at = column * table.rows.length + row;
      if (!Number.isFinite(a[at]) || !Number.isFinite(b[at])) return;
      svg.append(s("circle", { class: "picked", cx: x(a[at]), cy: y(b[at]), r: 7 }), s("text", {
        class: "picked", x: Math.min(width - right - 4, Math.max(left + 4, x(a[at]))), y: y(b[at]) - 12, "text-anchor": x(a[at]) > width / 2 ? "end" : "start",
      }, `${this.picked.target} — ${this.picked.feature}: ${number(a[at])} against ${number(b[at])}${this.unit()}`));
    };
    this.mark = mark;
    mark();
    return h("div", {}, svg, look);
  }

  private mark: () => void = () => {};

  private pick(target: string, feature: string): void {
    this.picked = { target, feature };
    this.drawTable();
    this.mark();
  }

  private tableFigure(save: (text: string) => void): void {
    if (!this.found) return;
    const { table, header } = this.found;
    const groups = [{ label: "", table, rows: this.words("rows") }];
    save(tableFigure(this.words("columns"), groups, colours(reach(table.scores, true), theme()), `${header.b.name} less ${header.a.name}`, legendOf(this.foot)));
  }

  private figure(save: (text: string) => void): void {
    const svg = this.plot.body.querySelector<SVGSVGElement>("svg.agree");
    if (svg) save(standalone(svg, this.table.sentence.textContent ?? "Comparison"));
  }

  private saveCsv(name: string): void {
    if (!this.found) return;
    const { table, header, a, b } = this.found;
    const rows: (string | number)[][] = [];
    const { units, scales } = header;
    table.columns.forEach((target, c) => table.rows.forEach((feature, r) => {
      const i = c * table.rows.length + r;
      const { score, low, high } = table.value(r, c);
      rows.push([target, feature, a[i] * scales[0], b[i] * scales[1], ...(header.unit === "sd" ? [a[i], b[i]] : []), score, low, high, header.unit]);
    }));
    const names = [header.a, header.b].map((side) => `${side.model} ${side.kind}`);
    saveCsv(name, csv(["target", "feature", ...names.map((n, i) => `${n} (${units[i]})`), ...(header.unit === "sd" ? names.map((n) => `${n} (sd)`) : []),
      "difference", "low", "high", "unit of the difference"], rows));
  }
}

/** All dots as one path: small squares, at most one for each pixel and a half. */
export function cloud(a: Float32Array, b: Float32Array, x: (v: number) => number, y: (v: number) => number, side = 2): string {
  const seen = new Set<number>();
  const half = side / 2;
  const parts: string[] = [];
  for (let i = 0; i < a.length; i++) {
    if (!Number.isFinite(a[i]) || !Number.isFinite(b[i])) continue;
    const px = Math.round(x(a[i]) / 1.5), py = Math.round(y(b[i]) / 1.5);
    const key = px * 10_000 + py;
    if (seen.has(key)) continue;
    seen.add(key);
    parts.push(`M${px * 1.5 - half} ${py * 1.5 - half}h${side}v${side}h-${side}z`);
  }
  return parts.join("");
}
