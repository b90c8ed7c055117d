/** The map with its tools: method, colour, gradient, and the attributes that explain the layout. */

import type { MapAnswer } from "../answers";
import { type Progress, Slot } from "../api";
import type { App } from "../app";
import { colours, reach } from "../colour";
import { asked } from "../data";
import { button, h, replace, theme } from "../dom";
import { csv, fileName, saveCsv, savePng, saveSvg, standalone } from "../export";
import { interval, list, number, percent } from "../format";
import { legend } from "../legend";
import { menu, Panel, popover, select } from "../panel";
import { type Attribute, type Method, METHODS } from "../state";
import type { Table } from "../table";
import { type Dot, MapView } from "./view";

const NAMES: Record<Method, string> = { pca: "PCA", tsne: "t-SNE", isomap: "Isomap", umap: "UMAP" };
const HELP = [
  "Each dot is one target. Dots that stand close have alike scores over all rows of the table. The two axes have no meaning of their own; what explains the layout is listed below it.",
  "Drag over an area to zoom in. Click a dot to see all its scores. Colour shows one attribute: orange goes with it, purple goes against it; a small dot is not sure of its direction.",
  "“Gradient” draws the way in which the attribute grows over the map. PCA keeps large distances true; t-SNE and UMAP keep neighbours together; Isomap lies between.",
  "With the keyboard: Tab to the map, arrow keys go from dot to dot, Enter selects.",
];

export class MapPanel {
  readonly panel: Panel;
  readonly view: MapView;
  private answer: MapAnswer | null = null;
  private asked = "";
  private answerOf = "";
  private readonly slot = new Slot();
  private readonly colourSlot = new Slot();
  private readonly chips = h("div", {});
  private readonly more: Record<"own" | "others", HTMLButtonElement>;
  private every = false; // whether all sensitive categories are ranked, or the one of the headline alone
  private readonly under = h("div", { class: "foot" });
  private dots: Dot[] = [];
  private dotsOf = "";
  private colouring: Table | null = null;
  private readonly method: HTMLSelectElement;
  private readonly colour = h("select", { "aria-label": "Colour by", title: "Colour by" });
  private readonly zoomOut: HTMLButtonElement;
  private offered = "";

  constructor(private readonly app: App, private readonly hover: (target: string | null) => void) {
    const { store } = app;
    const title = (): string => `${app.title(app.state.targets)} by their ${app.title(app.state.features)}, ${NAMES[app.state.method]}, ${app.model.name}`;
    const name = (): string => fileName(app.model.name, app.state.targets, app.state.features, app.state.method);
    this.panel = new Panel("map", "Map", HELP, [
      menu("Export", "Export the map", () => [
        { text: "Places, as CSV", run: () => saveCsv(name(), csv(["target", "x", "y", this.attribute()?.word ?? "value"], this.dots.map((d) => [d.target, d.x, d.y, d.value]))) },
        { text: "Figure, as SVG", run: () => saveSvg(name(), this.figure(title())) },
        { text: "Figure, as PNG", run: () => void savePng(name(), this.figure(title())) },
      ]),
    ]);
    this.view = new MapView({
      select: (target) => store.set({ target, feature: app.state.target === target ? app.state.feature : "" }),
      hover: (target) => this.hover(target),
      zoom: (zoom) => store.set({ zoom }),
    });
    this.method = select("Method", METHODS.map((m) => [m, NAMES[m]]), app.state.method, (m) => store.set({ method: m as Method, zoom: null }));
    this.colour.addEventListener("change", () => {
      const [category, ...word] = this.colour.value.split("~");
      store.set({ colour: this.colour.value ? { category, word: word.join("~") } : null });
    });
    this.zoomOut = button("Zoom out", () => store.set({ zoom: null }), { class: "text" });
    const more = (own: boolean): HTMLButtonElement =>
      popover("all", "All that explain the map, ranked", (box, close) => this.rank(box, close, own), "text");
    this.more = { own: more(true), others: more(false) };
    this.panel.body.append(this.view.svg, this.chips, this.under);
  }

  /** What the dots are coloured by: what was chosen, else the selected feature, else what explains the layout best. */
  attribute(): Attribute | null {
    const { state, shown } = this.app;
    if (state.colour) return state.colour;
    if (shown && shown.table.row(state.feature) < 0 && shown.band && shown.band.row(state.feature) >= 0) return { category: state.sensitive, word: state.feature };
    if (shown && shown.table.row(state.feature) >= 0) return { category: state.features, word: state.feature };
    const best = this.best();
    return best ? { category: best.category, word: best.word } : null;
  }

  /** The map's own features explain it by their nature: what else does, says more. */
  private explains(own: boolean): MapAnswer["attributes"] {
    return this.answer?.attributes.filter((a) => own === (a.category === this.app.state.features)) ?? [];
  }

  private best(): MapAnswer["attributes"][number] | undefined {
    return this.explains(false)[0] ?? this.explains(true)[0];
  }

  private figure(title: string): string {
    const scale = this.under.querySelector<SVGSVGElement>("svg.scale");
    const keys = [`linked with “${this.attribute()?.word}”`, "small: not sure of its direction"];
    return standalone(this.view.svg, title, scale ? [scale, h("div", {}, ...keys.map((text) => h("span", {}, text)))] : []);
  }

  /** Until there is a table again. */
  wait(): void {
    this.slot.cancel();
    this.asked = "";
    this.panel.sentence.textContent = "";
    this.panel.empty(h("p", { class: "soft" }, "Waits for the table."));
  }

  async load(): Promise<void> {
    const { app } = this;
    const { state } = app;
    if (!app.can("map")) {
      this.panel.empty(h("p", {}, "This run has no map: it holds too few scores."));
      return;
    }
    const view = asked(state);
    const pairs = app.pairs();
    const by = [state.features, state.sensitive, ...(this.every ? app.catalogue.sensitive : [])]
      .filter((f, i, all) => all.indexOf(f) === i && pairs.some(([t, x]) => t === state.targets && x === f));
    const key = JSON.stringify([view, state.method, by, state.words]);
    if (key === this.asked) return key === this.answerOf ? this.draw() : undefined;
    this.asked = key;
    const again = (): void => void this.load();
    const timer = setTimeout(() => (this.report = this.panel.loading("Laying out the map.", () => {
      this.slot.cancel();
      this.asked = "";
      this.panel.empty(h("p", {}, "Cancelled."), button("Lay it out", again));
    })), 150);
    try {
      const answer = await this.slot.run((signal) =>
        app.data.map(view, state.method, by, state.words, { signal, progress: (p) => this.report?.(p) }));
      if (!answer) return;
      this.answer = answer;
      this.answerOf = key;
      this.panel.ready();
      await this.draw();
    } catch (error) {
      this.asked = "";
      this.panel.failed(error, again);
    } finally {
      clearTimeout(timer);
      this.report = null;
    }
  }

  private report: ReturnType<Panel["loading"]> | null = null;

  /** The scores with a category; undefined where another was asked for in between, or nobody waits any more. */
  private async tableOf(category: string, progress: (p: Progress) => void): Promise<Table | null | undefined> {
    const { app } = this;
    const { state, shown } = app;
    if (category === state.features && shown) return shown.table;
    if (category === state.sensitive && shown?.band?.header.features === category) return shown.band;
    try {
      return await this.colourSlot.run((signal) => app.data.table(asked(state, { features: category }), { signal, progress }));
    } catch {
      return null;
    }
  }

  async draw(): Promise<void> {
    const { app, answer } = this;
    if (!answer || !app.shown) return;
    const { state } = app;
    const attribute = this.attribute();
    this.colourSlot.cancel();
    let late: ReturnType<Panel["loading"]> | null = null;
    const timer = setTimeout(() => {
      late = this.panel.loading(`Scoring ${attribute ? app.title(attribute.category) : ""} for the colours.`, () => {
        this.colourSlot.cancel();
        this.panel.ready();
        app.store.set({ colour: null });
      });
    }, 150);
    const table = attribute ? await this.tableOf(attribute.category, (p) => late?.(p)) : null;
    clearTimeout(timer);
    if (table === undefined) return;
    const now = this.attribute();
    if (answer !== this.answer || now?.word !== attribute?.word || now?.category !== attribute?.category) return;
    if (!this.slot.busy && this.asked === this.answerOf) this.panel.ready();
    this.colouring = table;
    const key = `${this.answerOf}|${attribute?.category}|${attribute?.word}|${table?.columns.length}`;
    if (key !== this.dotsOf) {
      this.dots = answer.points.map((p) => {
        const v = attribute && table ? table.of(p.target, attribute.word) : null;
        return { ...p, value: v?.score ?? NaN, low: v?.low ?? NaN, high: v?.high ?? NaN };
      });
      this.dotsOf = key;
    }
    const far = this.reach();
    this.view.show({
      dots: this.dots, colour: colours(far, theme()), selected: state.target, hovered: null, zoom: state.zoom,
      gradient: state.gradient, attribute: attribute?.word ?? "",
      label: `Map of ${app.title(state.targets)}: arrow keys go from dot to dot, Enter selects`,
    });
    const first = this.best();
    const of = first && first.category !== state.features ? ` (${app.title(first.category)})` : "";
    this.panel.sentence.textContent = `What stands close has like scores with ${app.title(state.features)}.`
      + (!first ? "" : (first.low ?? 0) > 0 ? ` “${first.word}”${of} explains the layout best: R² ${number(first.r2)} (${interval(first.low!, first.high ?? NaN)}).`
      : ` No word of ${app.title(first.category)} is sure to explain the layout.`);
    this.tools();
    this.drawChips(attribute);
    const gradient = h("input", { type: "checkbox" });
    gradient.checked = state.gradient;
    gradient.addEventListener("change", () => app.store.set({ gradient: gradient.checked }));
    replace(this.under, attribute && legend(this.dots.map((d) => d.value), far, theme(), `“${attribute.word}”`),
      h("div", { class: "beside" }, attribute && h("span", {}, "linked with ", h("b", {}, attribute.word)),
        attribute && h("label", {}, gradient, " as a gradient"),
        h("span", { class: "soft" }, answer.label),
        answer.dropped.length > 0 && h("span", { class: "soft" }, `not placed: ${answer.dropped.join(", ")}`),
        answer.note && h("span", { class: "soft" }, answer.note)));
  }

  private reach(): number {
    return reach(this.dots.map((d) => d.value), this.app.state.stretch || this.colouring?.header.unit !== "correlation");
  }

  private tools(): void {
    const { app } = this;
    const { state } = app;
    const value = (a: Attribute): string => `${a.category}~${a.word}`;
    const best = this.best()?.word ?? "none";
    const rows = app.shown!.table.rows;
    const offered = JSON.stringify([asked(state), state.sensitive, rows.length, best]);
    if (offered !== this.offered) {
      this.offered = offered;
      const linked = app.pairs().filter(([t]) => t === state.targets).map(([, f]) => f);
      const first = [state.sensitive, ...app.catalogue.sensitive, state.features, ...linked];
      const categories = [...new Set(first)].filter((c) => c === state.features || linked.includes(c));
      replace(this.colour, new Option(`best: ${best}`, ""), ...categories.map((category) => {
        const words = category === state.features ? rows : app.words(category);
        const group = h("optgroup", { label: app.title(category) });
        group.append(...words.map((word) => new Option(word, value({ category, word }))));
        return words.length ? group : null;
      }));
    }
    this.method.value = state.method;
    this.colour.value = state.colour ? value(state.colour) : "";
    this.zoomOut.hidden = !state.zoom;
    if (!this.method.isConnected) this.panel.tools.append(this.method, this.colour, this.zoomOut);
  }

  /** Sensitive words that explain the layout, and on a line of their own those of the map itself. */
  private drawChips(attribute: Attribute | null): void {
    const line = (own: boolean): HTMLElement | null => {
      const all = this.explains(own);
      if (!all.length) return null;
      const more = this.more[own ? "own" : "others"];
      more.textContent = `all ${all.length}`;
      return h("div", { class: "chips" }, h("span", {}, `Explained by ${this.explaining(own)}`), ...all.slice(0, own ? 3 : 5).map((a) => {
        const on = attribute?.category === a.category && attribute.word === a.word;
        return button(h("span", {}, a.word, h("small", {}, ` ${percent(a.r2)}${this.range(a)}`)), () => this.colourBy(a),
          { class: "chip", "aria-pressed": String(on), title: `${a.word} (${a.category}): R² ${number(a.r2)}` });
      }), more);
    };
    replace(this.chips, line(false), line(true));
  }

  /** All words of a line, and an offer to rank the other sensitive categories too. */
  private rank(box: HTMLElement, close: () => void, own: boolean): void {
    const { app } = this;
    const { state } = app;
    const all = this.explains(own);
    const several = new Set(all.map((a) => a.category)).size > 1;
    const unranked = this.every || (own && this.explains(false).length) ? [] : app.catalogue.sensitive.filter((name) =>
      name !== state.features && name !== state.sensitive && app.pairs().some(([t, f]) => t === state.targets && f === name));
    replace(box, h("h3", {}, `Explained by ${this.explaining(own)}`),
      h("p", {}, "R²: how much of the differences between the targets’ scores with a word their places on the map tell."),
      unranked.length > 0 && button(`Rank ${list(unranked.map(app.title))} as well`, () => {
        close();
        this.every = true;
        void this.load();
      }, { class: "text" }),
      ...all.map((a) => button(`${a.word}${several ? `, ${app.title(a.category)}` : ""}: ${percent(a.r2)}${this.range(a)}`, () => {
        close();
        this.colourBy(a);
      }, { class: "item" })));
  }

  private explaining(own: boolean): string {
    const { app } = this;
    return own ? `its own ${app.title(app.state.features)}` : list([...new Set(this.explains(false).map((a) => app.title(a.category)))]);
  }

  private range = (a: MapAnswer["attributes"][number]): string =>
    (a.low === null || a.high === null ? "" : ` (${number(100 * a.low, 0)} to ${percent(a.high)})`);

  private colourBy({ category, word }: Attribute): void {
    this.app.store.set({ colour: { category, word } });
  }
}
