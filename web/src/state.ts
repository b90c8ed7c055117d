/** What the page shows. All of it stands in the address, so that a link restores the view. */

import { type Order, type Sorting, UNSORTED } from "./sorting";

export type Kind = "indirect" | "direct";
export type View = "explore" | "compare" | "blanks";
export const METHODS = ["pca", "tsne", "isomap", "umap"] as const;
export type Method = (typeof METHODS)[number];

export interface PerAxis<T> {
  columns: T;
  rows: T;
}

export interface Words {
  targets: string[];
  features: string[];
  names: string[];
}

/** A word as the server takes it. */
export const tidy = (word: string): string => word.normalize("NFC").trim().replace(/\s+/g, " ");

export interface Attribute {
  category: string;
  word: string;
}

export type Zoom = readonly [number, number, number, number];

export interface State {
  view: View;
  model: string;
  targets: string;
  features: string;
  sensitive: string;
  kind: Kind;
  sorting: Sorting;
  /** How many words a sorting shows at each end; 0 shows all. */
  count: number;
  pinned: PerAxis<string[]>;
  only: PerAxis<string[]>;
  /** Words put before others by hand. */
  moved: PerAxis<[string, string][]>;
  /** The selection: a cell has both, a header one of them. */
  target: string;
  feature: string;
  method: Method;
  colour: Attribute | null;
  gradient: boolean;
  zoom: Zoom | null;
  stretch: boolean;
  words: Words;
  /** With what the compare view compares: another model, or "direct" for the other kind of score. */
  against: string;
  sentences: [string, string];
}

export const START: State = {
  view: "explore",
  model: "",
  targets: "",
  features: "",
  sensitive: "",
  kind: "indirect",
  sorting: UNSORTED,
  count: 5,
  pinned: { columns: [], rows: [] },
  only: { columns: [], rows: [] },
  moved: { columns: [], rows: [] },
  target: "",
  feature: "",
  method: "pca",
  colour: null,
  gradient: false,
  zoom: null,
  stretch: false,
  words: { targets: [], features: [], names: [] },
  against: "",
  sentences: ["", ""],
};

const ORDERS = ["name", "score", "similarity", "width", "strength"];

// Parts are parted by a tilde; a typed word may hold one.
const pack = (parts: readonly string[]): string => parts.map((p) => p.replace(/[%~]/g, (c) => (c === "~" ? "%7E" : "%25"))).join("~");
const unpack = (text: string): string[] => text.split("~").map((p) => p.replace(/%7E/g, "~").replace(/%25/g, "%"));

function writeOrder(order: Order): string {
  if (order.by === "name") return "";
  return pack([order.by, "word" in order ? order.word : "", order.origin]);
}

function readOrder(text: string | null): Order {
  const [by = "", word = "", origin = ""] = unpack(text ?? "");
  if (!ORDERS.includes(by) || by === "name") return { by: "name" };
  if (by === "width" || by === "strength") return { by, origin };
  return word ? { by: by as "score" | "similarity", word, origin } : { by: "name" };
}

/** The query of a link to this view; what is as on a first visit is left out. */
export function toQuery(state: State): string {
  const query = new URLSearchParams();
  const one = (key: string, value: string, usual = ""): void => {
    if (value !== usual) query.set(key, value);
  };
  const many = (key: string, values: readonly string[]): void => values.forEach((v) => query.append(key, v));
  one("view", state.view, START.view);
  one("model", state.model);
  one("targets", state.targets);
  one("features", state.features);
  one("sensitive", state.sensitive);
  one("kind", state.kind, START.kind);
  one("columns", writeOrder(state.sorting.columns));
  one("rows", writeOrder(state.sorting.rows));
  one("ends", String(state.count), String(START.count));
  for (const axis of ["columns", "rows"] as const) {
    const letter = axis[0];
    many(`${letter}pin`, state.pinned[axis]);
    many(`${letter}only`, state.only[axis]);
    many(`${letter}move`, state.moved[axis].map(pack));
  }
  one("target", state.target);
  one("feature", state.feature);
  one("map", state.method, START.method);
  if (state.colour) query.set("colour", pack([state.colour.category, state.colour.word]));
  if (state.gradient) query.set("gradient", "1");
  if (state.zoom) query.set("zoom", state.zoom.map((v) => v.toFixed(4)).join(" "));
  if (state.stretch) query.set("stretch", "1");
  many("addtarget", state.words.targets);
  many("addfeature", state.words.features);
  many("addname", state.words.names);
  one("against", state.against);
  one("a", state.sentences[0]);
  one("b", state.sentences[1]);
  return query.toString();
}

const choice = <T extends string>(value: string | null, of: readonly T[], usual: T): T =>
  of.includes(value as T) ? (value as T) : usual;

/** The view that a link's query asks for; what is malformed is as on a first visit. */
export function fromQuery(text: string): State {
  const query = new URLSearchParams(text);
  const one = (key: string): string => query.get(key) ?? "";
  const pairs = (key: string): [string, string][] =>
    query.getAll(key).map(unpack).filter((p) => p.length === 2) as [string, string][];
  const typed = (key: string): string[] => [...new Set(query.getAll(key).map(tidy).filter(Boolean))];
  const [category = "", word = ""] = unpack(one("colour"));
  const zoom = one("zoom").split(" ").map(Number);
  const count = Number.parseInt(one("ends"), 10);
  return {
    view: choice(query.get("view"), ["explore", "compare", "blanks"], START.view),
    model: one("model"),
    targets: one("targets"),
    features: one("features"),
    sensitive: one("sensitive"),
    kind: choice(query.get("kind"), ["indirect", "direct"], START.kind),
    sorting: { columns: readOrder(query.get("columns")), rows: readOrder(query.get("rows")) },
    count: count >= 0 && count < 10_000 ? count : START.count,
    pinned: { columns: query.getAll("cpin"), rows: query.getAll("rpin") },
    only: { columns: query.getAll("conly"), rows: query.getAll("ronly") },
    moved: { columns: pairs("cmove"), rows: pairs("rmove") },
    target: one("target"),
    feature: one("feature"),
    method: choice(query.get("map"), METHODS, START.method),
    colour: category && word ? { category, word } : null,
    gradient: one("gradient") === "1",
    zoom: zoom.length === 4 && zoom.every(Number.isFinite) ? (zoom as unknown as Zoom) : null,
    stretch: one("stretch") === "1",
    words: {
      targets: typed("addtarget"),
      features: typed("addfeature"),
      names: typed("addname"),
    },
    against: one("against"),
    sentences: [one("a"), one("b")],
  };
}

export type Change = Partial<State>;
export type Listener = (state: State, changed: ReadonlySet<keyof State>) => void;

/** The one place that holds the state; panels are told what changed. */
export class Store {
  private listeners: Listener[] = [];
  constructor(public state: State) {}

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  set(change: Change): void {
    const changed = new Set<keyof State>();
    for (const key of Object.keys(change) as (keyof State)[]) {
      if (JSON.stringify(this.state[key]) !== JSON.stringify(change[key])) changed.add(key);
    }
    if (!changed.size) return;
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener(this.state, changed);
  }
}
