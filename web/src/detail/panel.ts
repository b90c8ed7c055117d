/** What is selected: a cell with its names and what explains it, or a word with all its scores. */

import { Slot } from "../api";
import type { App } from "../app";
import { colours, reach } from "../colour";
import { asked } from "../data";
import { button, h, replace, theme } from "../dom";
import { fileName, saveCsv, savePng, saveSvg, standalone } from "../export";
import { interval, list, number, plural, pValue, said, sentence } from "../format";
import { legendOf } from "../legend";
import { menu, Panel } from "../panel";
import type { Axis } from "../sorting";
import type { Cell, Sources } from "../answers";
import { along } from "./along";
import { type Bar, bars, barsFigure } from "./bars";
import { discovery } from "./discover";
import { names } from "./names";
import { sources } from "./sources";
import { strip } from "./strip";
import { explanations, numbers } from "./take";

const HELP = [
  "For a cell: each mark is a first name. If the names that go with the target (right) also go with the feature (up), the two are linked through names. The line is the fit; the score is the correlation.",
  "What explains it: the score is computed again with one sensitive attribute of the names held fixed. If little is left, that attribute stands behind the link. “Explained” is the share of the association that goes away.",
  "For a word (click its header, a dot, or search): all its scores as bars, with intervals; thin bars are not sure of their direction. Click a bar to see what lies behind it.",
];

export interface Acts {
  pin(axis: Axis, word: string): void;
  hide(axis: Axis, word: string): void;
}

export class DetailPanel {
  readonly panel: Panel;
  private readonly cellSlot = new Slot();
  private readonly sourceSlot = new Slot();
  private shownFor = "";
  private listed: Bar[] = [];
  private cell: Cell | null = null;
  private explained: Sources | null = null;

  constructor(private readonly app: App, private readonly acts: Acts) {
    this.panel = new Panel("detail", "Detail", HELP, [
      menu("Export", "Export the detail", () => [
        { text: "Numbers, as CSV", run: () => saveCsv(this.name(), numbers(this.cell, this.listed)) },
        ...(this.explained ? [{ text: "What explains it, as CSV", run: () => saveCsv(`${this.name()}-sources`, explanations(this.explained!)) }] : []),
        { text: "Figure, as SVG", run: () => this.figure((text) => saveSvg(this.name(), text)) },
        { text: "Figure, as PNG", run: () => this.figure((text) => void savePng(this.name(), text)) },
      ]),
    ]);
  }

  /** Until there is a table again. */
  wait(): void {
    this.cellSlot.cancel();
    this.sourceSlot.cancel();
    this.shownFor = "";
    this.panel.title("Detail");
    this.panel.sentence.textContent = "";
    replace(this.panel.tools);
    this.panel.empty(h("p", { class: "soft" }, "Waits for the table."));
  }

  draw(): void {
    const { state, shown } = this.app;
    if (!shown) return;
    const key = JSON.stringify([asked(state), state.target, state.feature, state.words, state.stretch, state.sensitive, theme(),
      shown.table.columns.length, shown.table.rows.length, shown.band?.header.features ?? ""]);
    if (key === this.shownFor) return;
    this.shownFor = key;
    this.cellSlot.cancel();
    this.sourceSlot.cancel();
    this.panel.ready();
    this.cell = null;
    this.explained = null;
    this.listed = [];
    const focused = this.panel.element.contains(document.activeElement);
    if (state.target && state.feature) void this.drawCell(state.target, state.feature);
    else if (state.target) this.drawWord("columns", state.target);
    else if (state.feature) this.drawWord("rows", state.feature);
    else this.drawNothing();
    // Whoever went to a cell by keys is at its head.
    if (focused && document.activeElement === document.body) this.panel.tools.querySelector("button")?.focus({ preventScroll: true });
  }

  private drawNothing(): void {
    this.panel.title("Detail");
    this.panel.sentence.textContent = "";
    replace(this.panel.tools);
    const strongest = this.app.summary?.strongest;
    this.panel.empty(h("p", {}, h("strong", {}, "Nothing is selected yet.")),
      h("p", {}, "Click a cell to see the names behind it and what explains it; click a header or a dot to see all scores of a word."),
      strongest ? button(`Show the strongest: ${strongest.target} — ${strongest.feature}`,
        () => this.app.store.set({ target: strongest.target, feature: strongest.feature }), { class: "primary" }) : null);
    // The summary may come later; then this is drawn again.
    if (!strongest) this.shownFor = "";
  }

  private category(feature: string): string {
    const { state, shown } = this.app;
    return shown!.table.row(feature) < 0 && shown!.band?.rows.includes(feature) ? state.sensitive : state.features;
  }

  private async drawCell(target: string, feature: string): Promise<void> {
    const { app, panel } = this;
    const { state, store, shown } = app;
    const category = this.category(feature);
    const view = asked(state, { features: category });
    panel.title(`${target} — ${feature}`);
    replace(panel.tools,
      button(`All of ${target}`, () => store.set({ feature: "" }), { class: "text" }),
      button(`All of ${feature}`, () => store.set({ target: "" }), { class: "text" }));
    const table = category === state.features ? shown!.table : shown!.band!;
    const value = table.of(target, feature);
    if (!value) return this.drawLost([target, feature].filter((w) => table.column(w) < 0 && table.row(w) < 0));
    const far = this.reach();
    const colour = colours(far, theme());
    panel.sentence.textContent = "";
    const gauge = h("div", { class: "gauge" }), figure = h("div", {}), why = h("section", { class: "why", "aria-labelledby": "why-title" },
      h("h3", { id: "why-title" }, "What explains it"));
    replace(panel.body, gauge, figure, why);
    if (value) {
      replace(gauge, h("p", { class: "score" }, h("b", {}, number(value.score)), h("span", {}, ` ${Math.round(table.header.level * 100)} % interval ${interval(value.low, value.high)}`)),
        strip(value.score, value.low, value.high, far, colour(value.score)),
        h("p", { class: "soft" }, `${plural(value.n, table.header.over.replace(/s$/, ""))}; adjusted ${pValue(value.adjusted)}`));
    }
    void this.drawSources(why, view, target, feature);
    if (!app.can("cell")) return replace(figure, h("p", { class: "soft" }, "This run does not hold the names behind its scores."));
    replace(figure, h("p", { class: "soft wait" }, "Reading the names…"));
    try {
      const cell = await this.cellSlot.run((signal) => app.data.cell(view, target, feature, { signal }));
      if (!cell) return;
      this.cell = cell;
      panel.sentence.textContent = said(cell.sentence);
      replace(figure, cell.weak ? h("p", { class: "warning" }, said(cell.weak)) : null,
        cell.names.length ? names(cell) : this.templates(cell));
    } catch (error) {
      replace(figure, h("p", { class: "soft" }, error instanceof Error ? error.message : String(error)));
    }
  }

  private templates(cell: Cell): HTMLElement | null {
    if (!cell.templates?.length) return null;
    return h("table", { class: "templates" }, h("caption", {}, "The sentences behind the score"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "sentence"), h("th", { scope: "col" }, "log ratio"))),
      h("tbody", {}, ...cell.templates.map((t) => h("tr", {}, h("td", {}, t.text), h("td", { class: "value" }, number(t.log_ratio ?? NaN))))));
  }

  private async drawSources(why: HTMLElement, view: ReturnType<typeof asked>, target: string, feature: string): Promise<void> {
    const { app } = this;
    const title = h("h3", { id: "why-title" }, "What explains it");
    const say = (...children: (Node | string | null)[]): void => replace(why, title, ...children);
    if (view.kind === "direct") {
      return say(h("p", { class: "soft" }, "A direct score has no names that could be held fixed. "),
        button("Use the indirect score", () => app.switch({ kind: "indirect" }), { class: "text" }));
    }
    if (!app.can("sources")) return say(h("p", { class: "soft" }, "This needs the model; what is open is a finished run."));
    const bar = h("progress", { "aria-label": "Looking for what explains it" });
    const phase = h("span", {}, "Holding sensitive attributes fixed, one after another…");
    const again = (text: string): HTMLButtonElement => button(text, () => void this.drawSources(why, view, target, feature), { class: "text" });
    say(h("p", { class: "soft wait" }, phase), bar, button("Cancel", () => {
      this.sourceSlot.cancel();
      say(h("p", { class: "soft" }, "Cancelled. "), again("Look for it after all"));
    }, { class: "text" }));
    try {
      const answer = await this.sourceSlot.run((signal) => app.data.sources(view, target, feature, app.catalogue.sensitive, {
        signal,
        progress: ({ phase: what, done, total }) => {
          phase.textContent = `${what}…`;
          if (total) {
            bar.max = total;
            bar.value = done;
          }
        },
      }));
      if (!answer) return;
      this.explained = answer;
      say(sources(answer, app.state.sensitive, app.title));
    } catch (error) {
      say(h("p", { class: "soft" }, error instanceof Error ? error.message : String(error)),
        again("Try again"));
    }
  }

  private reach(): number {
    const { table } = this.app.shown!;
    return reach(table.scores, this.app.state.stretch || table.header.unit !== "correlation");
  }

  /** All scores of a target (a column) or of a feature (a row). */
  private drawWord(axis: Axis, word: string): void {
    const { app, panel } = this;
    const { state, store, shown } = app;
    const category = axis === "columns" ? state.targets : this.category(word);
    const table = axis === "rows" && category === state.sensitive && shown!.table.row(word) < 0 ? shown!.band! : shown!.table;
    panel.title(word);
    if (axis === "columns" ? table.column(word) < 0 : table.row(word) < 0) {
      return this.drawLost([word]);
    }
    const others = axis === "columns" ? table.rows : table.columns;
    const all: Bar[] = others.map((other) => {
      const v = axis === "columns" ? table.of(word, other)! : table.of(other, word)!;
      return { word: other, score: v.score, low: v.low, high: v.high };
    });
    this.listed = [...all].sort((a, b) => (Number.isNaN(a.score) ? 1 : Number.isNaN(b.score) ? -1 : b.score - a.score));
    const sure = this.listed.filter((b) => b.low > 0 || b.high < 0);
    const up = sure.filter((b) => b.score > 0).slice(0, 3).map((b) => b.word);
    const down = sure.filter((b) => b.score < 0).slice(-3).reverse().map((b) => b.word);
    panel.sentence.textContent = !sure.length ? `No score of “${word}” is sure of its direction.`
      : `“${word}” goes ${up.length ? `most with ${list(up)}` : "with nothing for sure"}${down.length ? `, and least with ${list(down)}` : ""}; ${plural(sure.length, "score")} of ${all.length} ${sure.length === 1 ? "is" : "are"} sure of ${sure.length === 1 ? "its" : "their"} direction.`;
    const pinned = state.pinned[axis].includes(word);
    // Sensitive words stand above the table whatever its order.
    const own = axis === "columns" || table === shown!.table;
    replace(panel.tools,
      own && button(pinned ? "Unpin" : "Pin", () => this.pin(axis, word), { class: "tool" }),
      own && button("Hide", () => {
        this.acts.hide(axis, word);
        store.set({ target: "", feature: "" });
      }, { class: "tool" }),
      button("Sort by it", () => app.sort(axis, word), { class: "tool" }));
    const far = this.reach();
    const choose = (other: string): void => store.set(axis === "columns" ? { feature: other } : { target: other });
    replace(panel.body,
      this.alongside(axis, word, all),
      h("h3", {}, `All ${others.length} scores`),
      bars(this.listed, "", far, colours(far, theme()), choose),
      axis === "columns" && state.kind === "indirect" ? discovery(app, word) : null);
  }

  private pin(axis: Axis, word: string): void {
    this.acts.pin(axis, word);
    this.shownFor = "";
    this.draw();
  }

  /** Words without scores, each with the reason. */
  private drawLost(words: readonly string[]): void {
    const { header } = this.app.shown!.table;
    const typed = this.app.typed;
    replace(this.panel.tools);
    this.panel.sentence.textContent = "";
    this.panel.empty(...words.flatMap((word) => [
      h("p", {}, h("strong", {}, `“${word}” has no scores here.`)),
      h("p", {}, sentence(header.lost.find((l) => l.word === word)?.reason
        ?? [...(typed?.targets ?? []), ...(typed?.features ?? [])].find((w) => w.word === word)?.lost
        ?? "It is not among the words of these categories.")),
      this.adding(word),
    ]), button("Clear the selection", () => this.app.store.set({ target: "", feature: "" }), { class: "text" }));
  }

  /** A word that nobody has typed yet can be scored all the same. */
  private adding(word: string): HTMLElement | null {
    const { app } = this;
    const { words, target } = app.state;
    const role = word === target ? "targets" : "features";
    if (!app.can("words") || words[role].includes(word)) return null;
    return button(`Add “${word}” to the table`, () => app.store.set({ words: { ...words, [role]: [...words[role], word] } }));
  }

  /** Does the word go along with a sensitive attribute, over all targets? The thesis's hardest task, in one look. */
  private alongside(axis: Axis, word: string, all: readonly Bar[]): HTMLElement | null {
    const { app } = this;
    const { band, bandRows } = app.shown!;
    if (!band) return null;
    if (axis === "columns") {
      const own = bandRows.map((row) => {
        const v = band.of(word, row);
        return { word: row, score: v?.score ?? NaN, low: v?.low ?? NaN, high: v?.high ?? NaN };
      });
      return h("section", {}, h("h3", {}, `With ${app.title(app.state.sensitive)}`),
        bars(own, "", this.reach(), colours(this.reach(), theme()), (row) => app.store.set({ feature: row })));
    }
    if (bandRows.includes(word)) return null;
    return along(app, word, new Map(all.map((b) => [b.word, b.score])), band, bandRows);
  }

  private name = (): string => fileName(this.app.model.name, this.app.state.target, this.app.state.feature);

  private figure(save: (text: string) => void): void {
    if (!this.app.shown) return;
    const title = [this.app.state.target, this.app.state.feature].filter(Boolean).join(" — ");
    // A direct score has no names: its figure is the score on its line.
    const scatter = this.panel.body.querySelector<SVGSVGElement>("svg.names") ?? (this.cell && this.panel.body.querySelector<SVGSVGElement>("svg.strip"));
    const said = this.cell ? `${title}: ${number(this.cell.score ?? NaN)} (${interval(this.cell.low ?? NaN, this.cell.high ?? NaN)}), ${this.app.model.name}` : title;
    if (scatter) return save(standalone(scatter, said, legendOf(scatter.parentElement!)));
    const far = this.reach();
    const figure = barsFigure(this.listed, far, colours(far, theme()));
    document.body.append(figure); // only in the document has it a style
    try {
      save(standalone(figure, title));
    } finally {
      figure.remove();
    }
  }
}
