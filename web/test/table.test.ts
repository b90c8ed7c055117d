import { expect, it } from "vitest";
import type { TypedScores } from "../src/answers";
import { Table } from "../src/table";

/** Bytes as the server's contract lays them out: length, header, arrays at multiples of eight. */
function body(): ArrayBuffer {
  const out = new ArrayBuffer(4096);
  const view = new DataView(out);
  const arrays: Record<string, object> = {};
  let at = 2048;
  const put = (name: string, dtype: string, values: number[], scale?: number): void => {
    arrays[name] = { dtype, offset: at, length: values.length, ...(scale ? { scale } : {}) };
    values.forEach((v, i) => {
      if (dtype === "f4") view.setFloat32(at + 4 * i, v, true);
      else view.setInt16(at + 2 * i, v, true);
    });
    at += 64;
  };
  // nurse: calm 0.5, bold none; cook: calm -0.25, bold 1
  put("score", "i2", [5000, -32768, -2500, 10000], 1e-4);
  put("low", "i2", [4000, -32768, -5000, 9000], 1e-4);
  put("high", "i2", [6000, -32768, 1000, 10000], 1e-4);
  put("adjusted", "f4", [0.01, NaN, 0.3, 0]);
  put("n", "u2", [779, 0, 700, 40000 - 65536]);
  const header = new TextEncoder().encode(JSON.stringify({ rows: ["nurse", "cook"], columns: ["calm", "bold"], arrays }));
  view.setUint32(0, 2044, true);
  new Uint8Array(out, 4, 2044).fill(32);
  new Uint8Array(out, 4).set(header);
  return out;
}

it("reads the server's bytes with targets as columns", () => {
  const table = Table.read(body());
  expect(table.columns).toEqual(["nurse", "cook"]);
  expect(table.rows).toEqual(["calm", "bold"]);
  expect(table.of("cook", "calm")!.score).toBeCloseTo(-0.25, 6);
  expect(table.of("nurse", "bold")!.score).toBeNaN();
  expect(table.of("cook", "bold")!.n).toBe(40000);
  expect(table.of("cook", "shy")).toBeNull();
  expect(table.width(0, 0)).toBeCloseTo(0.2, 6);
});

it("joins typed words, a typed target with a typed feature too, and leaves lost ones out", () => {
  const typed = (word: string, score: number[], lost: string | null = null): TypedScores =>
    ({ word, lost, caution: null, score, low: score, high: score, adjusted: score, n: score });
  const table = Table.read(body()).joined(
    [typed("barista", [0.1, 0.2]), typed("zzz", [], "not in the vocabulary")],
    [typed("shy", [0.3, 0.4, 0.5])],
  );
  expect(table.columns).toEqual(["nurse", "cook", "barista"]);
  expect(table.rows).toEqual(["calm", "bold", "shy"]);
  expect(table.of("cook", "calm")!.score).toBeCloseTo(-0.25, 6);
  expect(table.of("barista", "bold")!.score).toBeCloseTo(0.2, 6);
  expect(table.of("cook", "shy")!.score).toBeCloseTo(0.4, 6);
  expect(table.of("barista", "shy")!.score).toBeCloseTo(0.5, 6);
  expect([...table.typed]).toEqual(["barista", "shy"]);
});
