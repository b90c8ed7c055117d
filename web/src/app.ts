/** What is loaded for the state at hand; panels draw it. */

import type { Catalogue, Model, Summary, TypedWords } from "./answers";
import { type Lost, type Progress, Slot } from "./api";
import { asked, Data } from "./data";
import { list } from "./format";
import { Offered } from "./offered";
import { origin, readOrigin, stacked, standing } from "./orders";
import { click, type Axis, type Scores, type Sorting, stillMoved, UNSORTED } from "./sorting";
import { type Change, START, type State, type Store, type Words } from "./state";
import type { Table } from "./table";

/** Sensitive words that stand above the table at most. */
export const ABOVE = 12;

/** Of more words than that, such as ages, so many from the first to the last stand for all. */
export const some = (words: readonly string[], most = ABOVE): string[] =>
  words.length <= most ? [...words] : Array.from({ length: most }, (_, i) => words[Math.round((i * (words.length - 1)) / (most - 1))]!);

const PATIENCE = 250; // milliseconds that the table waits for its band

export interface Shown {
  table: Table;
  /** The targets with the sensitive category, or null where there is none. */
  band: Table | null;
  bandRows: string[];
  columns: string[];
  rows: string[];
}

export interface View {
  loading(text: string, cancel: () => void): (progress: Progress) => void;
  failed(error: unknown, again: () => void): void;
  cancelled(again: () => void): void;
  drawn(): void;
}

export class App extends Offered {
  readonly data = new Data();
  shown: Shown | null = null;
  summary: Summary | null = null;
  typed: TypedWords | null = null;
  /** Why typed words have no answer. */
  typedError = "";
  /** What was asked for and could not be kept. */
  note = "";
  private readonly slot = new Slot();
  private readonly bandSlot = new Slot();
  private readonly summarySlot = new Slot();
  private readonly made = new Map<Axis, Scores>();
  private turn = 0; // of rearrangements: a late one does not undo the next
  private listeners: View[] = [];

  constructor(readonly store: Store, catalogue: Catalogue) {
    super(catalogue);
  }

  get state(): State {
    return this.store.state;
  }

  get model(): Model {
    return this.catalogue.models.find((m) => m.id === this.state.model) ?? this.catalogue.models[0];
  }

  can(what: string): boolean {
    return this.model.can.includes(what);
  }

  /** With what the model at hand can be compared: other models, and the other kind of its own score. */
  others(): [string, string][] {
    const { state } = this;
    const models = this.catalogue.models.filter((m) => m.id !== state.model).map((m): [string, string] => [m.id, m.name]);
    return state.kind === "indirect" ? [...models, ["direct", "its own direct score"]] : models;
  }

  against(): string {
    const others = this.others();
    return others.some(([v]) => v === this.state.against) ? this.state.against : others[0]?.[0] ?? "";
  }

  /** Words that were typed and have no score; not those that the table has anyway. */
  unscored(): Lost[] {
    const { typed, shown, state } = this;
    if (!typed || !shown) return [];
    const lost = (words: { word: string; lost: string | null }[], where: string, there: (word: string) => boolean): Lost[] =>
      words.filter((w) => w.lost && !there(w.word)).map((w) => ({ word: w.word, where, reason: w.lost! }));
    return [
      ...lost(typed.targets, this.title(state.targets), (w) => shown.table.column(w) >= 0),
      ...lost(typed.features, this.title(state.features), (w) => shown.table.row(w) >= 0),
      ...lost(typed.names, "names", () => false),
    ];
  }

  /** The words of a category, without those that are known to have no score. */
  words(name: string): string[] {
    const { band } = this.shown ?? {};
    if (band?.header.features === name) return [...band.rows];
    return (this.set(name)?.words ?? []).filter((w) => !this.model.absent[name]?.includes(w));
  }

  /** Typed words that the model at hand cannot score are left out, but not without a word. */
  tell(asked: Words, kept: Words): void {
    const typed = kept === START.words ? Object.values(asked).flat() : [];
    this.note = typed.length ? `A finished run scores no new words: ${list(typed, 3)} left out.` : "";
  }

  /** Another model, category or kind: what no longer fits is let go, sortings stay where their words do. */
  switch(change: Partial<Pick<State, "model" | "targets" | "features" | "sensitive" | "kind">>): void {
    const was = this.state;
    const now = this.fitting({ ...was, ...change });
    this.tell(was.words, now.words);
    const out: Change = { ...change, model: now.model, kind: now.kind, targets: now.targets, features: now.features, sensitive: now.sensitive, words: now.words };
    if (now.model !== was.model || now.kind !== was.kind || now.targets !== was.targets || now.features !== was.features) out.zoom = null;
    if (now.targets !== was.targets) {
      Object.assign(out, {
        target: "", sorting: { ...was.sorting, columns: UNSORTED.columns },
        pinned: { ...was.pinned, columns: [] }, only: { ...was.only, columns: [] }, moved: { ...was.moved, columns: [] },
        words: { ...now.words, targets: [] },
      });
    }
    if (now.features !== was.features) {
      const sorting = out.sorting ?? was.sorting;
      const kept = out.pinned ?? was.pinned, only = out.only ?? was.only, moved = out.moved ?? was.moved;
      Object.assign(out, {
        feature: "", sorting: { ...sorting, rows: UNSORTED.rows },
        pinned: { ...kept, rows: [] }, only: { ...only, rows: [] }, moved: { ...moved, rows: [] },
        words: { ...(out.words ?? now.words), features: [] },
        colour: was.colour && was.colour.category === was.features ? null : was.colour,
      });
    }
    this.store.set(out);
  }

  /** A click on a header. */
  sort(axis: Axis, word: string): void {
    const band = axis === "rows" && Boolean(this.shown?.bandRows.includes(word));
    const sorting = click(this.state.sorting, axis, word, origin(this.state, band));
    this.order(sorting, axis === "columns" ? { target: word, feature: "" } : { feature: word, target: "" });
  }

  /** Another order; what was moved by hand stays where the order does. */
  order(sorting: Sorting, change: Change = {}): void {
    const { state } = this;
    const moved = sorting === UNSORTED ? START.moved : stillMoved(state.sorting, sorting, state.moved);
    this.store.set({ sorting, moved, ...change });
  }

  get busy(): boolean {
    return this.slot.busy;
  }

  listen(view: View): void {
    this.listeners.push(view);
  }

  readonly load = async (): Promise<void> => {
    const state = this.state;
    const view = asked(state);
    const sets = `${this.title(state.targets)} × ${this.title(state.features)}`;
    const again = (): void => void this.load();
    let reports: ((progress: Progress) => void)[] = [];
    const timer = setTimeout(() => {
      reports = this.listeners.map((l) => l.loading(`Computing ${sets} on ${this.model.name}.`, () => {
        this.slot.cancel();
        this.shown = null;
        for (const listener of this.listeners) listener.cancelled(again);
      }));
    }, this.shown ? 120 : 0);
    try {
      const band = this.loadBand();
      const done = await this.slot.run(async (signal) => {
        const asking = { signal, progress: (p: Progress) => reports.forEach((r) => r(p)) };
        let table = await this.data.table(view, asking);
        let typed: TypedWords | null = null, typedError = "";
        if ([...state.words.targets, ...state.words.features, ...state.words.names].length) {
          try {
            typed = await this.data.words(view, state.words, asking);
            table = table.joined(typed.targets, typed.features);
          } catch (error) {
            if (signal.aborted) throw error;
            typedError = error instanceof Error ? error.message : String(error); // the table stands without them
          }
        }
        for (const axis of ["columns", "rows"] as const) this.made.set(axis, await this.origin(axis, table, signal));
        return { table, typed, typedError };
      });
      if (!done) return;
      const { table, typed, typedError } = done;
      Object.assign(this, { typed, typedError });
      // Both at once where the band is quick, so that nothing jumps; where it must be computed, the table goes first.
      const soon = await Promise.race([band, new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE))]);
      this.show(table, soon ?? null);
      if (soon === undefined) void band.then((late) => late && this.shown?.table === table && this.show(table, late));
      void this.loadSummary();
    } catch (error) {
      this.shown = null;
      Object.assign(this, { typed: null, typedError: error instanceof Error ? error.message : String(error) });
      for (const listener of this.listeners) listener.failed(error, again);
    } finally {
      clearTimeout(timer);
    }
  };

  /** The table that a sorting was made in. */
  private async origin(axis: Axis, table: Table, signal: AbortSignal): Promise<Scores> {
    const order = this.state.sorting[axis];
    const made = "origin" in order ? readOrigin(order.origin) : null;
    if (!made) return table;
    const here = order.by !== "name" && "origin" in order && order.origin.startsWith(origin(this.state));
    const upper = here ? table : await this.data.table(asked(this.state, made), { signal });
    const lower = made.sensitive
      ? await this.data.table(asked(this.state, { ...made, features: made.sensitive }), { signal }) : null;
    return stacked(upper, lower);
  }

  private bandFor(): boolean {
    const { targets, features, sensitive } = this.state;
    return sensitive !== features && this.pairs().some(([t, f]) => t === targets && f === sensitive);
  }

  private async loadBand(): Promise<Table | null> {
    this.bandSlot.cancel();
    if (!this.bandFor()) return null;
    try {
      return (await this.bandSlot.run((signal) => this.withTyped(signal))) ?? null;
    } catch {
      return null; // the table stands without its band
    }
  }

  private async withTyped(signal: AbortSignal): Promise<Table> {
    const view = asked(this.state, { features: this.state.sensitive });
    const table = await this.data.table(view, { signal });
    const targets = this.state.words.targets;
    if (!targets.length) return table;
    try {
      return table.joined((await this.data.words(view, { targets, features: [], names: [] }, { signal })).targets, []);
    } catch {
      return table;
    }
  }

  private async loadSummary(): Promise<void> {
    try {
      const summary = await this.summarySlot.run((signal) =>
        this.data.summary(asked(this.state), { target: "", feature: "" }, this.state.sensitive, { signal }));
      if (!summary) return; // another one is on its way
      this.summary = summary;
    } catch {
      this.summary = null;
    }
    for (const listener of this.listeners) listener.drawn();
  }

  private show(table: Table, band: Table | null): void {
    const own = (name: string): boolean => this.sensitive(name);
    const { state } = this;
    this.shown = {
      table, band, bandRows: some(band ? band.rows.filter((w) => table.row(w) < 0) : []),
      columns: standing(table, "columns", state, this.made.get("columns") ?? table, own(state.targets)),
      rows: standing(table, "rows", state, this.made.get("rows") ?? table, own(state.features)),
    };
    for (const listener of this.listeners) listener.drawn();
  }

  /** Another order, selection or colour of what is there already. */
  readonly rearrange = async (): Promise<void> => {
    if (!this.shown || this.slot.busy) return;
    const { table, band } = this.shown;
    const turn = ++this.turn;
    const { signal } = new AbortController();
    // Where the table of a sorting cannot be had, it is made in the one at hand.
    const made = await Promise.all((["columns", "rows"] as const).map((axis) => this.origin(axis, table, signal).catch(() => table)));
    if (turn !== this.turn || this.shown?.table !== table) return;
    this.made.set("columns", made[0]).set("rows", made[1]);
    this.show(table, band);
  };
}
