/** A table of scores: targets as columns, features as rows. Read from the server's bytes, and joined with typed words. */

import type { CompareHeader, TableHeader, TypedScores } from "./answers";
import type { Scores } from "./sorting";

interface Layout {
  rows: string[]; // the server's rows are targets
  columns: string[];
  arrays: Record<string, { dtype: "i2" | "u2" | "f4" | "u1"; offset: number; length: number; scale?: number }>;
}

const ABSENT = -32768;

/** Header and arrays; 16-bit numbers become floats, and what is absent NaN. */
export function unpack<H>(body: ArrayBuffer): { header: H & Layout; arrays: Record<string, Float32Array> } {
  const length = new DataView(body).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(body, 4, length))) as H & Layout;
  const arrays: Record<string, Float32Array> = {};
  for (const [name, { dtype, offset, length: n, scale = 1 }] of Object.entries(header.arrays)) {
    if (dtype === "f4") {
      arrays[name] = new Float32Array(body, offset, n);
    } else if (dtype === "i2") {
      arrays[name] = Float32Array.from(new Int16Array(body, offset, n), (v) => (v === ABSENT ? NaN : v * scale));
    } else {
      arrays[name] = Float32Array.from(dtype === "u2" ? new Uint16Array(body, offset, n) : new Uint8Array(body, offset, n));
    }
  }
  return { header, arrays };
}

export interface Value {
  score: number;
  low: number;
  high: number;
  adjusted: number;
  n: number;
}

type Arrays = Record<keyof Value, Float32Array>;

const MEASURES = ["score", "low", "high", "adjusted", "n"] as const;

export class Table implements Scores {
  private readonly columnAt: Map<string, number>;
  private readonly rowAt: Map<string, number>;

  /** `arrays` hold one target after another. */
  constructor(
    readonly columns: readonly string[], readonly rows: readonly string[], private readonly arrays: Arrays,
    readonly header: TableHeader, readonly typed: ReadonlySet<string> = new Set(),
  ) {
    this.columnAt = new Map(columns.map((w, i) => [w, i]));
    this.rowAt = new Map(rows.map((w, i) => [w, i]));
  }

  static read(body: ArrayBuffer): Table {
    const { header, arrays } = unpack<TableHeader>(body);
    return new Table(header.rows, header.columns, arrays as Arrays, header);
  }

  /** Differences of two tables (the second less the first) as a table. */
  static difference(body: ArrayBuffer): { table: Table; header: CompareHeader & Layout; a: Float32Array; b: Float32Array } {
    const { header, arrays } = unpack<CompareHeader>(body);
    const { difference: score, difference_low: low, difference_high: high } = arrays;
    const empty = score.map(() => NaN);
    const table = new Table(header.rows, header.columns, { score, low, high, adjusted: empty, n: empty }, {
      model: "", targets: "", features: "", kind: "indirect", level: header.level, method: "", unit: header.unit,
      max_abs: null, over: "", bridge: null, lost: [], sentence: header.sentence, warnings: [],
    });
    return { table, header, a: arrays["a"], b: arrays["b"] };
  }

  at(row: number, column: number): number {
    return this.arrays.score[column * this.rows.length + row];
  }

  width(row: number, column: number): number {
    const place = column * this.rows.length + row;
    return this.arrays.high[place] - this.arrays.low[place];
  }

  column(word: string): number {
    return this.columnAt.get(word) ?? -1;
  }

  row(word: string): number {
    return this.rowAt.get(word) ?? -1;
  }

  value(row: number, column: number): Value {
    const place = column * this.rows.length + row;
    const { score, low, high, adjusted, n } = this.arrays;
    return { score: score[place], low: low[place], high: high[place], adjusted: adjusted[place], n: n[place] };
  }

  of(target: string, feature: string): Value | null {
    const column = this.column(target), row = this.row(feature);
    return column < 0 || row < 0 ? null : this.value(row, column);
  }

  get scores(): Float32Array {
    return this.arrays.score;
  }

  /** The table with typed targets as more columns and typed features as more rows. */
  joined(targets: readonly TypedScores[], features: readonly TypedScores[]): Table {
    const newColumns = targets.filter((t) => t.lost === null && this.column(t.word) < 0);
    const newRows = features.filter((f) => f.lost === null && this.row(f.word) < 0);
    if (!newColumns.length && !newRows.length) return this;
    const columns = [...this.columns, ...newColumns.map((t) => t.word)];
    const rows = [...this.rows, ...newRows.map((f) => f.word)];
    const was = this.rows.length, is = rows.length;
    const arrays = Object.fromEntries(MEASURES.map((name) => {
      const out = new Float32Array(columns.length * is).fill(NaN);
      columns.forEach((_, c) => {
        const typed = newColumns[c - this.columns.length];
        if (typed) out.set(typed[name].map((v) => v ?? NaN), c * is);
        else out.set(this.arrays[name].subarray(c * was, (c + 1) * was), c * is);
        newRows.forEach((f, r) => (out[c * is + was + r] = f[name][c] ?? NaN));
      });
      return [name, out];
    })) as Arrays;
    return new Table(columns, rows, arrays, this.header, new Set([...newColumns, ...newRows].map((w) => w.word)));
  }
}
