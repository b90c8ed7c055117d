/** Sorting the table: the thesis's algorithms B.1 to B.4 (Louis-Alexandre 2022, appendix B.1), and a few more orders. */

/** Scores with targets as columns and features as rows; NaN where a pair has none. */
export interface Scores {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  at(row: number, column: number): number;
  /** Width of the interval. */
  width?(row: number, column: number): number;
}

export type Axis = "columns" | "rows";

/** Where a sorting was made: it stays in place when another model or the other axis' category is shown. */
export type Origin = string;

export type Order =
  | { by: "name" }
  | { by: "score" | "similarity"; word: string; origin: Origin }
  | { by: "width" | "strength"; origin: Origin };

export interface Sorting {
  columns: Order;
  rows: Order;
  /** The header that was clicked last: a click on another one begins to count anew. */
  last?: { axis: Axis; word: string };
}

export const UNSORTED: Sorting = { columns: { by: "name" }, rows: { by: "name" } };

const other = (axis: Axis): Axis => (axis === "columns" ? "rows" : "columns");

const is = (order: Order, by: Order["by"], word: string, origin: Origin): boolean =>
  order.by === by && "word" in order && order.word === word && order.origin === origin;

/**
 * B.1 (a click on a column header) and B.2 (on a row header): the first click sorts the other axis by the score with
 * the word, the second sorts the word's own axis by cosine similarity too, the third resets both.
 */
export function click(sorting: Sorting, axis: Axis, word: string, origin: Origin): Sorting {
  const across = other(axis);
  // A link does not hold which header was last; there the sorting itself tells.
  const again = !sorting.last || (sorting.last.axis === axis && sorting.last.word === word);
  const last = { axis, word };
  if (!again || !is(sorting[across], "score", word, origin)) {
    return { ...sorting, [across]: { by: "score", word, origin }, last };
  }
  if (!is(sorting[axis], "similarity", word, origin)) {
    return { ...sorting, [axis]: { by: "similarity", word, origin }, last };
  }
  return UNSORTED;
}

/** How often in a row this header was clicked, as far as the sorting tells: 0, 1 or 2. */
export function clicks(sorting: Sorting, axis: Axis, word: string, origin: Origin): 0 | 1 | 2 {
  if (!is(sorting[other(axis)], "score", word, origin)) return 0;
  return is(sorting[axis], "similarity", word, origin) ? 2 : 1;
}

const alphabet = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** The places of words in alphabetical order; a category with an order of its own (gender) keeps it. */
export function alphabetical(words: readonly string[], own = false): number[] {
  const places = words.map((_, i) => i);
  return own ? places : places.sort((a, b) => alphabet.compare(words[a], words[b]));
}

/** Largest first; words without a value last; equal ones stay as they were. */
function decreasing(places: number[], value: (place: number) => number): number[] {
  const key = new Map(places.map((p) => [p, value(p)]));
  return places.sort((a, b) => {
    const x = key.get(a)!, y = key.get(b)!;
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    return y - x;
  });
}

/** B.3: the places of one axis in decreasing order of their score with a word of the other. */
export function byScore(scores: Scores, axis: Axis, word: string, own = false): number[] {
  const places = alphabetical(scores[axis], own);
  const at = scores[other(axis)].indexOf(word);
  if (at < 0) return places;
  return decreasing(places, (p) => (axis === "rows" ? scores.at(p, at) : scores.at(at, p)));
}

function vector(scores: Scores, axis: Axis, place: number): number[] {
  const n = scores[other(axis)].length;
  return Array.from({ length: n }, (_, i) => (axis === "columns" ? scores.at(i, place) : scores.at(place, i)));
}

/** Cosine of the angle between two vectors, over the places where both have a value. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  let dot = 0, aa = 0, bb = 0;
  a.forEach((x, i) => {
    const y = b[i];
    if (Number.isNaN(x) || Number.isNaN(y)) return;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  });
  return aa > 0 && bb > 0 ? dot / Math.sqrt(aa * bb) : NaN;
}

/** B.4: the places of one axis in decreasing order of the cosine of their scores with those of one of them. */
export function bySimilarity(scores: Scores, axis: Axis, word: string, own = false): number[] {
  const places = alphabetical(scores[axis], own);
  const at = scores[axis].indexOf(word);
  if (at < 0) return places;
  const chosen = vector(scores, axis, at);
  // The word itself comes first even where another has the very same scores.
  return decreasing(places, (p) => (p === at ? Infinity : cosine(chosen, vector(scores, axis, p))));
}

/** How many words a sorting leaves to be seen: all, or the first and the last so many. */
export function ends<T>(sorted: readonly T[], count: number): T[] {
  const enough = count <= 0 || sorted.length <= 2 * count + 1;
  return enough ? [...sorted] : [...sorted.slice(0, count), ...sorted.slice(-count)];
}

const mean = (values: number[]): number => {
  const known = values.filter((v) => !Number.isNaN(v));
  return known.length ? known.reduce((a, b) => a + b, 0) / known.length : NaN;
};

/** The words of one axis in their order, all of them; `limited` says whether only its ends are shown. */
export function ordered(scores: Scores, axis: Axis, order: Order, own = false): string[] {
  const words = scores[axis];
  const places = ((): number[] => {
    switch (order.by) {
      case "name":
        return alphabetical(words, own);
      case "score":
        return byScore(scores, axis, order.word, own);
      case "similarity":
        return bySimilarity(scores, axis, order.word, own);
      case "strength":
        return decreasing(alphabetical(words, own), (p) => mean(vector(scores, axis, p).map(Math.abs)));
      case "width": {
        const width = scores.width;
        if (!width) return alphabetical(words, own);
        const over = scores[other(axis)].length;
        return decreasing(alphabetical(words, own), (p) =>
          -mean(Array.from({ length: over }, (_, i) => (axis === "columns" ? width(i, p) : width(p, i)))));
      }
    }
  })();
  return places.map((p) => words[p]);
}

export type Moved = Record<Axis, [string, string][]>;

/** Of words that were moved by hand those whose axis keeps its order: a new one would be falsified by them. */
export const stillMoved = (was: Sorting, now: Sorting, moved: Moved): Moved => {
  const same = (axis: Axis): boolean => JSON.stringify(was[axis]) === JSON.stringify(now[axis]);
  return { columns: same("columns") ? moved.columns : [], rows: same("rows") ? moved.rows : [] };
};

/** Pinned words first, then the sorting's ends; a word that was hidden by hand does not show, one moved stands where it was put. */
export function shown(
  words: readonly string[],
  order: Order,
  count: number,
  by: { pinned?: readonly string[]; only?: readonly string[]; moved?: readonly (readonly [string, string])[] } = {},
): string[] {
  const pinned = (by.pinned ?? []).filter((w) => words.includes(w));
  const only = by.only?.length ? new Set(by.only) : null;
  const rest = words.filter((w) => !pinned.includes(w) && (!only || only.has(w)));
  const limited = order.by === "score" || order.by === "similarity" ? ends(rest, count) : rest;
  const all = [...pinned, ...limited];
  for (const [word, before] of by.moved ?? []) {
    const from = all.indexOf(word);
    if (from < 0 || (before && !all.includes(before))) continue;
    all.splice(from, 1);
    const to = all.indexOf(before);
    all.splice(to < 0 ? all.length : to, 0, word);
  }
  return all;
}
