/** The map with its tools: method, colour, gradient, and the attributes that explain the layout. */

import type { MapAnswer } from "../answers";
import { Slot } from "../api";
import type { App } from "../app";
import { colours, reach } from "../colour";
import { asked } from "../data";
import { button, h, replace, theme } from "../dom";
import { csv, fileName, saveCsv, savePng, saveSvg, standalone } from "../export";
import { interval, number, percent } from "../format";
import { legend } from "../legend";
import { menu, Panel, select } from "../panel";
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
  private readonly chips = h("div", { class: "chips" });
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
        { text: "Figure, as SVG", run: () => saveSvg(name(), standalone(this.view.svg, title())) },
        { text: "Figure, as PNG", run: () => void savePng(name(), standalone(this.view.svg, title())) },
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
    this.panel.body.append(this.view.svg, this.chips, this.under);
  }

  /** What the dots are coloured by: what was chosen, else the selected feature, else what explains the layout best. */
  attribute(): Attribute | null {
    const { state, shown } = this.app;
    if (state.colour) return state.colour;
    if (shown?.bandRows.includes(state.feature)) return { category: state.sensitive, word: state.feature };
    if (shown && shown.table.row(state.feature) >= 0) return { category: state.features, word: state.feature };
    const best = this.answer?.attributes[0];
    return best ? { category: best.category, word: best.word } : null;
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
    const by = [state.features, state.sensitive].filter((f, i, all) => all.indexOf(f) === i && pairs.some(([t, x]) => t === state.targets && x === f));
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

  private async tableOf(category: string): Promise<Table | null> {
    const { app } = this;
    const { state, shown } = app;
    if (category === state.features && shown) return shown.table;
    if (category === state.sensitive && shown?.band?.header.features === category) return shown.band;
    try {
      return await app.data.table(asked(state, { features: category }));
    } catch {
      return null;
    }
  }

  async draw(): Promise<void> {
    const { app, answer } = this;
    if (!answer || !app.shown) return;
    const { state } = app;
    const attribute = this.attribute();
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.panel.loading(`Scoring ${attribute ? app.title(attribute.category) : ""} for the colours.`);
    }, 150);
    const table = attribute ? await this.tableOf(attribute.category) : null;
    clearTimeout(timer);
    const now = this.attribute();
    if (answer !== this.answer || now?.word !== attribute?.word || now?.category !== attribute?.category) return;
    if (late) this.panel.ready();
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
    const [first] = answer.attributes;
    this.panel.sentence.textContent = `What stands close has like scores with ${app.title(state.features)}.`
      + (first ? ` “${first.word}” explains the layout best: R² ${number(first.r2)} (${interval(first.low ?? NaN, first.high ?? NaN)}).` : "");
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
    const best = this.answer!.attributes[0]?.word ?? "none";
    const rows = app.shown!.table.rows;
    const offered = JSON.stringify([asked(state), state.sensitive, rows.length, best]);
    if (offered !== this.offered) {
      this.offered = offered;
      const linked = app.pairs().filter(([t]) => t === state.targets).map(([, f]) => f);
      const first = [state.sensitive, ...app.catalogue.sensitive, state.features, ...linked];
      const categories = [...new Set(first)].filter((c) => c === state.features || linked.includes(c));
      replace(this.colour, new Option(`best: ${best}`, ""), ...categories.map((category) => {
        const words = category === state.features ? rows : app.set(category)?.words ?? [];
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

  private drawChips(attribute: Attribute | null): void {
    const best = this.answer!.attributes.slice(0, 5);
    replace(this.chips, best.length > 0 && h("span", {}, "Best explained by"), ...best.map((a) => {
      const on = attribute?.category === a.category && attribute.word === a.word;
      const range = a.low === null || a.high === null ? "" : `, ${number(a.low)} to ${number(a.high)}`;
      return button(h("span", {}, a.word, h("small", {}, ` ${percent(a.r2)}`)),
        () => this.app.store.set({ colour: { category: a.category, word: a.word } }),
        { class: "chip", "aria-pressed": String(on), title: `${a.word} (${a.category}): R² ${number(a.r2)}${range}` });
    }));
  }
}
