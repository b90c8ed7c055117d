/** The table with its tools, its legend and what it lost. */

import type { Lost } from "./api";
import { ABOVE, type App } from "./app";
import { choose } from "./choose";
import { colours, reach } from "./colour";
import { announce, button, h, replace, theme } from "./dom";
import { csv, fileName, saveCsv, savePng, saveSvg } from "./export";
import { categories, list, plural } from "./format";
import { keys, legend as scale, legendOf } from "./legend";
import { legend, origin } from "./orders";
import { menu, Panel, popover, select } from "./panel";
import { type Axis, clicks, type Order, UNSORTED } from "./sorting";
import { tableFigure } from "./table/figure";
import { type Group, TableView } from "./table/view";

const HELP = [
  "Columns are what you focus on, rows are what goes with it. Orange: they go together; purple: they go apart. A small square: the interval crosses zero, so the direction is not sure.",
  "Click a header: the other side is sorted by it, its first and last five are shown. Click again: its own side is sorted by likeness too. Click a third time: back to the alphabet.",
  "Drag a header to put it elsewhere (Alt and an arrow key do the same). P pins it to the front; a right click offers more.",
  "Tab to the cells and use the arrow keys to read them one by one; Enter selects, Escape clears.",
];

export class TablePanel {
  readonly panel: Panel;
  readonly view: TableView;
  private readonly foot = h("div", { class: "foot" });
  private said = "";
  private lost: readonly Lost[] = [];
  private readonly lostWords = popover("lost", "Words without a score", (box) => {
    box.append(h("h3", {}, "Words without a score"), this.app.model.note ? h("p", {}, this.app.model.note) : "",
      h("ul", { class: "lost" }, ...this.lost.map((l) => h("li", {}, h("b", {}, l.word), ` (${l.where}): ${l.reason}`))));
  }, "text");
  private readonly reset = button("Reset", () => this.clear(), { class: "text" });

  constructor(private readonly app: App, private readonly act: { hover(target: string | null): void; words(): void }) {
    const { store } = app;
    this.panel = new Panel("table", "Table", HELP, [
      menu("Export", "Export the table", () => [
        { text: "Cells shown, as CSV", run: () => this.saveCsv(false) },
        { text: "All cells, as CSV", run: () => this.saveCsv(true) },
        { text: "Figure, as SVG", run: () => this.figure((text) => saveSvg(this.name(), text)) },
        { text: "Figure, as PNG", run: () => this.figure((text) => void savePng(this.name(), text)) },
      ]),
    ]);
    this.view = new TableView({
      click: (axis, word) => app.sort(axis, word),
      pin: (axis, word) => this.pin(axis, word),
      move: (axis, word, before) => this.move(axis, word, before),
      hover: (axis, word) => this.act.hover(axis === "columns" ? word : null),
      menu: (axis, word, at) => this.menu(axis, word, at),
      select: (target, feature) => store.set({ target, feature }),
    });
    const count = h("input", { type: "number", min: 0, max: 999, step: 1, value: app.state.count, "aria-label": "How many at each end; 0 shows all" });
    count.addEventListener("change", () => store.set({ count: Math.max(0, Math.min(999, Math.round(Number(count.value) || 0))) }));
    store.listen(() => (count.value = String(app.state.count)));
    this.panel.tools.append(
      h("label", { class: "count" }, count, " at ends"),
      popover("Sort", "Other sortings", (box) => this.sortings(box)),
      button("Choose", () => choose(app), { class: "tool" }),
    );
    this.panel.body.append(this.view.element, this.foot);
  }

  private clear(): void {
    this.app.store.set({
      sorting: UNSORTED, pinned: { columns: [], rows: [] }, only: { columns: [], rows: [] }, moved: { columns: [], rows: [] },
    });
  }

  /** Sensitive words stand above the table and keep their places. */
  private above(axis: Axis, word: string): boolean {
    return axis === "rows" && Boolean(this.app.shown?.bandRows.includes(word));
  }

  pin(axis: Axis, word: string): void {
    if (this.above(axis, word)) return announce(`${word} stands above the table already`);
    const { pinned } = this.app.state;
    const on = pinned[axis].includes(word);
    this.app.store.set({ pinned: { ...pinned, [axis]: on ? pinned[axis].filter((w) => w !== word) : [...pinned[axis], word] } });
    announce(`${word} ${on ? "is no longer pinned" : "is pinned to the front"}`);
  }

  private move(axis: Axis, word: string, before: string): void {
    if (this.above(axis, word) || this.above(axis, before)) return announce("Sensitive words keep their places above the table");
    const { moved } = this.app.state;
    this.app.store.set({ moved: { ...moved, [axis]: [...moved[axis].filter(([w]) => w !== word), [word, before]] } });
    announce(before ? `${word} stands before ${before}` : `${word} stands last`);
  }

  hide(axis: Axis, word: string): void {
    const { only } = this.app.state;
    const shown = only[axis].length ? only[axis] : [...this.app.shown!.table[axis]];
    this.app.store.set({ only: { ...only, [axis]: shown.filter((w) => w !== word) } });
  }

  private menu(axis: Axis, word: string, at: HTMLElement): void {
    const pinned = this.app.state.pinned[axis].includes(word);
    const box = h("div", { class: "popover", popover: "auto", role: "dialog", "aria-label": word });
    const item = (text: string, run: () => void): HTMLButtonElement =>
      button(text, () => {
        box.hidePopover();
        run();
      }, { class: "item" });
    box.append(
      item(`Sort by “${word}”`, () => this.app.sort(axis, word)),
      ...(this.above(axis, word) ? [] : [
        item(pinned ? "Unpin" : "Pin to the front", () => this.pin(axis, word)),
        item("Hide", () => this.hide(axis, word)),
      ]),
      item("Choose what is shown…", () => choose(this.app)),
    );
    box.addEventListener("toggle", (e) => e.newState === "closed" && box.remove());
    document.body.append(box);
    const place = at.getBoundingClientRect();
    box.style.left = `${Math.min(place.left, innerWidth - 240)}px`;
    box.style.top = `${Math.min(place.bottom, innerHeight - 180)}px`;
    box.showPopover();
    box.querySelector("button")!.focus();
  }

  private sortings(box: HTMLElement): void {
    const { state } = this.app;
    const choices = [["name", "by name"], ["strength", "the strongest first"], ["width", "the surest first (narrowest interval)"]] as const;
    for (const axis of ["columns", "rows"] as const) {
      const order = state.sorting[axis];
      const options: [string, string][] = choices.map(([v, t]) => [v, t]);
      if (order.by === "score" || order.by === "similarity") options.unshift([order.by, `by “${order.word}”`]);
      box.append(h("label", { class: "stack" }, `${axis === "columns" ? "Columns" : "Rows"}: ${categories(axis === "columns" ? state.targets : state.features)}`,
        select(axis, options, order.by, (by) => {
          const made: Order = by === "name" ? { by } : { by: by as "width" | "strength", origin: origin(state) };
          this.app.order({ ...this.app.state.sorting, [axis]: made });
        })));
    }
    box.append(h("p", { class: "soft" }, "To sort by a word, click its header."));
  }

  /** Until there is a table again: its order is no longer what stood here. */
  wait(): void {
    this.said = "";
    this.panel.sentence.replaceChildren();
  }

  private groups(): Group[] {
    const { table, band, bandRows, rows } = this.app.shown!;
    const main = { label: this.app.title(this.app.state.features), table, rows };
    if (!band || !bandRows.length) return [main];
    const all = bandRows.length === ABOVE && band.rows.length > ABOVE ? ` (${ABOVE} of ${band.rows.length})` : "";
    return [{ label: `${this.app.title(this.app.state.sensitive)}${all}`, table: band, rows: bandRows }, main];
  }

  reach(): number {
    const { table } = this.app.shown!;
    // Log ratios have no bounds of their own: their scale always reaches to the strongest.
    return reach(table.scores, this.app.state.stretch || table.header.unit !== "correlation");
  }

  draw(): void {
    const { app } = this;
    const { state, shown } = app;
    if (!shown) return;
    this.panel.ready();
    const { table, band, columns, rows, bandRows } = shown;
    const far = this.reach();
    const sorted = (axis: Axis, words: readonly string[]): Map<string, 1 | 2> => {
      const out = new Map<string, 1 | 2>();
      for (const word of words) {
        const n = clicks(state.sorting, axis, word, origin(state, axis === "rows" && bandRows.includes(word)));
        if (n) out.set(word, n);
      }
      return out;
    };
    const marks = (axis: Axis, words: readonly string[]) => ({
      selected: axis === "columns" ? state.target : state.feature, pinned: new Set(state.pinned[axis]),
      typed: new Set([...table.typed, ...(band?.typed ?? [])]), sorted: sorted(axis, words),
    });
    this.view.show({
      columns, groups: this.groups(), colour: colours(far, theme()),
      labels: {
        columns: `${app.title(state.targets)}: a click sorts the rows, arrow keys move, P pins`,
        rows: `${app.title(state.features)}: a click sorts the columns, arrow keys move, P pins`,
      },
      marks: { columns: marks("columns", columns), rows: marks("rows", [...bandRows, ...rows]) },
      selected: { target: state.target, feature: state.feature },
    });
    const text = legend(state, { columns: [columns.length, table.columns.length], rows: [rows.length, table.rows.length] });
    if (this.said !== text) {
      this.said = text;
      replace(this.panel.sentence, `${text} `, this.reset);
      announce(text);
    }
    this.reset.hidden = state.sorting.columns.by === "name" && state.sorting.rows.by === "name"
      && ![state.pinned, state.only, state.moved].some((of) => of.columns.length + of.rows.length);
    this.drawFoot(far);
  }

  private drawFoot(far: number): void {
    const { state, shown, store } = this.app;
    const { table } = shown!;
    const stretch = h("input", { type: "checkbox" });
    stretch.checked = state.stretch;
    stretch.addEventListener("change", () => store.set({ stretch: stretch.checked }));
    const { note, typedError } = this.app;
    const unscored = this.app.unscored();
    this.lost = [...unscored, ...table.header.lost.filter((l) => !unscored.some((own) => own.word === l.word))];
    this.lostWords.textContent = `${plural(this.lost.length, "word")} lost`;
    const warnings = [
      note, typedError && `Your words are not scored: ${typedError}`,
      ...unscored.slice(0, 3).map((l) => `“${l.word.slice(0, 60)}” has no score: ${l.reason}.`), ...table.header.warnings,
    ].filter(Boolean);
    replace(this.foot,
      warnings.length > 0 && h("p", { class: "warnings" }, warnings.join(" ")),
      scale(table.scores, far, theme(), table.header.unit === "correlation" ? "scores" : "log ratios"),
      h("div", { class: "beside" }, keys()),
      h("div", { class: "under" },
        button("+ Add a word", () => this.act.words(), { class: "text" }),
        table.header.unit === "correlation" && h("label", {}, stretch, " stretch colours to the strongest"),
        this.lost.length > 0 && this.lostWords));
  }

  private name = (): string => fileName(this.app.model.name, this.app.state.targets, this.app.state.features, this.app.state.kind);

  private saveCsv(all: boolean): void {
    if (!this.app.shown) return;
    const { columns, table: whole } = this.app.shown;
    const groups = all ? [{ table: whole, rows: whole.rows }] : this.groups();
    const out: (string | number)[][] = [];
    for (const target of all ? whole.columns : columns) {
      for (const { table, rows } of groups) {
        const { header } = table;
        for (const feature of rows) {
          const v = table.of(target, feature);
          if (v) out.push([header.model, header.kind, target, feature, header.features, v.score, v.low, v.high, header.level, v.adjusted, v.n]);
        }
      }
    }
    saveCsv(this.name(), csv(["model", "kind", "target", "feature", "category", "score", "low", "high", "level", "p_adjusted", whole.header.over], out));
  }

  /** The table as shown, as an SVG document. */
  private figure(save: (text: string) => void): void {
    const { title, state, model, shown } = this.app;
    if (!shown) return;
    const what = `${list([title(state.targets), title(state.features)])}, ${model.name}, ${state.kind}`;
    save(tableFigure(shown.columns, this.groups(), colours(this.reach(), theme()), what, legendOf(this.foot)));
  }
}
