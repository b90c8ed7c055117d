/** In which order the words stand: the sorting applied to the table in which it was asked for. */

import { categories } from "./format";
import { type Axis, type Order, ordered, type Origin, type Scores, shown } from "./sorting";
import type { State } from "./state";
import type { Table } from "./table";

/** Where a sorting is made: model, targets, features and kind; and the sensitive category of a word of the band. */
export const origin = (state: State, band = false): Origin =>
  [state.model, state.targets, state.features, state.kind, ...(band ? [state.sensitive] : [])].join("|");

export interface Made {
  model: string;
  targets: string;
  features: string;
  kind: State["kind"];
  sensitive: string;
}

export function readOrigin(text: Origin): Made | null {
  const parts = text.split("|");
  if (parts.length < 4) return null;
  const sensitive = parts.length > 4 ? parts[parts.length - 1] : "";
  const [kind, features, targets] = parts.slice(0, sensitive ? -1 : undefined).reverse();
  const model = parts.slice(0, parts.length - 3 - (sensitive ? 1 : 0)).join("|");
  return kind === "direct" || kind === "indirect" ? { model, targets, features, kind, sensitive } : null;
}

/** Two tables of the same targets, one below the other, for sorting by the words of either. */
export function stacked(upper: Table, lower: Table | null): Scores {
  if (!lower) return upper;
  const place = upper.columns.map((word) => lower.column(word));
  const more = lower.rows.filter((word) => upper.row(word) < 0);
  const rows = [...upper.rows, ...more];
  const at = (row: number, column: number): number =>
    row < upper.rows.length ? upper.at(row, column) : place[column] < 0 ? NaN : lower.at(lower.row(rows[row]), place[column]);
  return { columns: upper.columns, rows, at, width: (r, c) => (r < upper.rows.length ? upper.width(r, c) : NaN) };
}

/** The words of one axis as they stand in the table. */
export function standing(table: Table, axis: Axis, state: State, made: Scores, own: boolean): string[] {
  const order = state.sorting[axis];
  const sorted = ordered(made, axis, order, own);
  const here = new Set(table[axis]);
  const kept = sorted.filter((word) => here.has(word));
  const known = new Set(kept);
  const words = [...kept, ...table[axis].filter((word) => !known.has(word))];
  // A typed word is always seen: whoever typed it looks for it.
  const pinned = [...state.pinned[axis], ...[...table.typed].filter((w) => here.has(w) && !state.pinned[axis].includes(w))];
  return shown(words, order, state.count, { pinned, only: state.only[axis], moved: state.moved[axis] });
}

/** The sorting in words. */
export function legend(state: State, counts: { columns: [number, number]; rows: [number, number] }): string {
  const of = { columns: categories(state.targets), rows: categories(state.features) };
  const part = (axis: Axis, order: Order): string => {
    const what = of[axis];
    const [seen, all] = counts[axis];
    const ends = seen < all && state.count > 0 ? `the ${state.count} most and the ${state.count} least` : "from most to least";
    const elsewhere = "origin" in order && !order.origin.startsWith(origin(state));
    const made = elsewhere ? readOrigin((order as { origin: string }).origin) : null;
    const where = !made ? "" : made.model !== state.model ? ` (as in ${made.model})`
      : made.kind !== state.kind ? ` (by the ${made.kind} score)`
      : ` (as sorted among ${categories(axis === "rows" ? made.targets : made.features)})`;
    switch (order.by) {
      case "name":
        return `${what} by name`;
      case "score":
        return `${what}, ${ends} linked with “${order.word}”${where}`;
      case "similarity":
        return `${what}, ${ends} like “${order.word}”${where}`;
      case "width":
        return `${what}, the surest first${where}`;
      case "strength":
        return `${what}, the strongest first${where}`;
    }
  };
  return `Columns: ${part("columns", state.sorting.columns)}. Rows: ${part("rows", state.sorting.rows)}.`;
}
