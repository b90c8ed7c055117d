/** The shapes of the server's JSON answers. A number that is not known is null. */

import type { Lost } from "./api";
import type { Kind, Method } from "./state";

type N = number | null;

export interface WordSet {
  name: string;
  title: string;
  role: "concept" | "sensitive" | "bridge";
  size: number;
  words: string[];
  genders: Record<string, "female" | "male" | "both">;
}

export interface Model {
  id: string;
  name: string;
  source: "model" | "run";
  kind: string;
  language: string;
  can: string[];
  views: { targets: string; features: string; kind: Kind }[] | null;
  /** By category the words that are known to have no score, and why. */
  absent: Record<string, string[]>;
  absent_reason: string;
  note: string | null;
}

export interface Catalogue {
  version: string;
  models: Model[];
  sets: WordSet[];
  pairs: Record<Kind, [string, string][]>;
  sensitive: string[];
  default: { model: string; targets: string; features: string; sensitive: string; kind: Kind };
  limits: { words: number; word_characters: number; k: number };
}

export interface TypedScores {
  word: string;
  lost: string | null;
  caution: string | null;
  score: N[];
  low: N[];
  high: N[];
  adjusted: N[];
  n: N[];
}

export interface TypedWords {
  rows: string[];
  columns: string[];
  features: TypedScores[];
  targets: TypedScores[];
  names: { word: string; lost: string | null; caution: string | null; to_target: N[]; to_feature: N[]; sentence: string | null }[];
  milliseconds: number;
  sentence: string;
}

export interface Name {
  name: string;
  gender: "female" | "male" | "both" | null;
  x: N;
  y: N;
  common: N;
  typed: boolean;
}

export interface Cell {
  target: string;
  feature: string;
  score: N;
  low: N;
  high: N;
  template_low: N;
  template_high: N;
  p: N;
  adjusted: N;
  n: number;
  level: number;
  method: string;
  unit: string;
  names: Name[];
  fit: { slope: number; intercept: number } | null;
  weak: string | null;
  sentence: string;
  templates?: { text: string; log_p: N; log_prior: N; log_ratio: N }[];
}

export interface Source {
  name: string;
  category: string;
  whole: boolean;
  partial: N;
  partial_low: N;
  partial_high: N;
  partial_p: N;
  share: N;
  share_low: N;
  share_high: N;
}

export interface Sources {
  target: string;
  feature: string;
  raw: N;
  raw_low: N;
  raw_high: N;
  n: number;
  sources: Source[];
  sentence: string;
  sentences: string[];
  note: string | null;
}

export interface MapAnswer {
  method: Method;
  label: string;
  points: { target: string; x: number; y: number; typed: boolean }[];
  axes: { explains: number }[] | null;
  attributes: {
    category: string; word: string; r2: number; low: N; high: N; slope: [number, number] | null; intercept: number;
  }[];
  dropped: string[];
  sentence: string;
  note: string | null;
}

export interface Leaning {
  word: string;
  score: N;
  low: N;
  high: N;
  p: N;
  n: number;
}

export interface Discovered {
  target: string;
  searched: number;
  towards: Leaning[];
  away: Leaning[];
  sentence: string;
  note: string;
}

export interface Blanks {
  a: string;
  b: string;
  words: { word: string; a: number; b: number; difference: number }[];
  searched: number;
  compared: number;
  correlation: N;
  low: N;
  high: N;
  changed: string[];
  lost: Lost[];
  note: string | null;
  sentence: string;
}

export interface Summary {
  sentence: string;
  parts: { text: string; role?: "target" | "feature" | "model" | "number" | "category" }[];
  strongest: { target: string; feature: string; score: number; low: number; high: number } | null;
  certain: number;
  cells: number;
}

export interface CompareHeader {
  a: { model: string; kind: Kind; name: string };
  b: { model: string; kind: Kind; name: string };
  correlation: N;
  low: N;
  high: N;
  level: number;
  n_cells: number;
  /** Of all numbers; "sd" where the two have different units, and then times the scale each is in its own. */
  unit: string;
  units: [string, string];
  scales: [number, number];
  strongest: { target: string; feature: string; a: number; b: number; difference: number; low: number; high: number }[];
  only_a: { rows: string[]; columns: string[] };
  only_b: { rows: string[]; columns: string[] };
  sentence: string;
}

export interface TableHeader {
  model: string;
  targets: string;
  features: string;
  kind: Kind;
  level: number;
  method: string;
  unit: string;
  max_abs: number | null;
  over: string;
  bridge: number | null;
  lost: Lost[];
  sentence: string;
  warnings: string[];
}
