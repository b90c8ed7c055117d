/** Numbers and lists as people read them. */

const MINUS = "\u2212";

/** Two decimals with a true minus sign; never "−0.00". */
export function number(value: number, digits = 2): string {
  if (!Number.isFinite(value)) return "no score";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

/** "0.24 to 0.40"; the word, as a dash beside a minus sign is hard to read. */
export function interval(low: number, high: number): string {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return "interval unknown";
  return `${number(low)} to ${number(high)}`;
}

export function pValue(p: number): string {
  if (!Number.isFinite(p)) return "p unknown";
  if (p < 0.001) return "p < 0.001";
  return `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`;
}

export function percent(share: number): string {
  return Number.isFinite(share) ? `${number(share * 100, 0)} %` : "unknown";
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** A sentence of the server with true minus signs. */
export const said = (text: string): string => text.replace(/(^|[\s(])-(?=\d)/g, `$1${MINUS}`);

/** A reason as a sentence of its own. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/** "a, b and c". */
export function list(words: readonly string[], most = Infinity): string {
  const named = words.length > most ? [...words.slice(0, most), `${words.length - most} more`] : [...words];
  if (named.length < 2) return named.join("");
  return `${named.slice(0, -1).join(", ")} and ${named[named.length - 1]}`;
}

/** The name of a category as a plural: "occupations", "countries", "gender words". */
export function categories(name: string, many = true): string {
  const known: Record<string, [string, string]> = {
    gender: ["gender word", "gender words"],
    age: ["age", "ages"],
    race: ["race word", "race words"],
    religion: ["religion word", "religion words"],
    "sexual-orientation": ["orientation word", "orientation words"],
  };
  const plain = name.replace(/-/g, " ");
  const [one, more] = known[name] ?? [plain, /[^aeiou]y$/.test(plain) ? `${plain.slice(0, -1)}ies` : `${plain}s`];
  return many ? more : one;
}
