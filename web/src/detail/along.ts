/** Does a feature go along with a sensitive category, over all targets? The thesis's hardest task, in one look. */

import type { App } from "../app";
import { colours } from "../colour";
import { correlate } from "../correlate";
import { h, theme } from "../dom";
import { interval, list, number } from "../format";
import type { Table } from "../table";
import { bars } from "./bars";

const MOST = 6;

export interface Along {
  word: string;
  r: number;
  low: number;
  high: number;
}

/** What the correlations say, and where their words contradict each other. The intervals must hold for all at once. */
export function answer(feature: string, targets: string, category: string, found: readonly Along[], genders: Record<string, string>): string {
  const sure = found.filter((c) => c.low > 0 || c.high < 0);
  const named = (sign: number): string => list(sure.filter((c) => c.r * sign > 0)
    .map((c) => `“${c.word}” (${number(c.r)}, ${interval(c.low, c.high)})`), 3);
  const ways = [["with", named(1)], ["against", named(-1)]].filter(([, words]) => words).map(([way, words]) => `${way} ${words}`);
  if (!ways.length) return `Over all ${targets}, “${feature}” goes along with no word of ${category} for sure.`;
  const said = `Over all ${targets}, what goes with “${feature}” goes ${ways.join(", and ")}.`;
  const signs = (of: (gender: string) => boolean): Set<number> => new Set(sure.filter((c) => of(genders[c.word] ?? "")).map((c) => Math.sign(c.r)));
  const torn = ["female", "male"].find((gender) => signs((g) => g === gender).size > 1);
  if (torn) return `${said} Words that are both ${torn} go opposite ways, so this is no clear link with ${category}.`;
  const [women, men] = ["female", "male"].map((gender) => signs((g) => g === gender));
  const alike = women.size === 1 && men.size === 1 && [...women][0] === [...men][0];
  return alike ? `${said} Female and male words go the same way, so it is a link with people rather than with ${category}.` : said;
}

export function along(app: App, feature: string, scores: ReadonlyMap<string, number>, band: Table, words: readonly string[]): HTMLElement | null {
  const { sensitive, targets } = app.state;
  const all = [...scores.entries()];
  const found = words.map((word): Along => ({
    word, ...correlate(all.map(([, score]) => score), all.map(([target]) => band.of(target, word)?.score ?? NaN), 0.05 / words.length),
  })).filter((c) => Number.isFinite(c.r)).sort((a, b) => Math.abs(b.r) - Math.abs(a.r));
  if (!found.length) return null;
  const category = app.title(sensitive);
  return h("section", { class: "alongside" }, h("h3", {}, `Is it ${category}?`),
    h("p", { class: "sentence strong" }, answer(feature, app.title(targets), category, found, app.set(sensitive)?.genders ?? {})),
    bars(found.slice(0, MOST).map((c) => ({ word: c.word, score: c.r, low: c.low, high: c.high })), "", 1, colours(1, theme()),
      (word) => app.store.set({ colour: { category: sensitive, word } })),
    h("p", { class: "soft" }, `Correlations over ${app.title(targets)}; the 95 % intervals hold for all ${words.length} words at once.`));
}
