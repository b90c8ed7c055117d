import { describe, expect, it } from "vitest";
import { bySimilarity, byScore, click, clicks, cosine, ends, ordered, type Scores, shown, stillMoved, UNSORTED } from "../src/sorting";

const rows = ["calm", "able", "bold"];
const columns = ["nurse", "cook", "judge"];
//                nurse  cook  judge
const table = [[0.5, -0.1, 0.4], // calm
               [0.1, 0.9, NaN], // able
               [-0.7, 0.2, -0.6]]; // bold
const scores: Scores = { rows, columns, at: (r, c) => table[r][c] };
const words = (axis: "rows" | "columns", places: number[]): string[] => places.map((p) => scores[axis][p]);

describe("B.1 and B.2: what a header's clicks do", () => {
  it("sorts rows, then columns too, then resets, when a column is clicked three times", () => {
    const one = click(UNSORTED, "columns", "cook", "here");
    expect(one.rows).toEqual({ by: "score", word: "cook", origin: "here" });
    expect(one.columns).toEqual({ by: "name" });
    const two = click(one, "columns", "cook", "here");
    expect(two.rows).toEqual(one.rows);
    expect(two.columns).toEqual({ by: "similarity", word: "cook", origin: "here" });
    expect(click(two, "columns", "cook", "here")).toEqual(UNSORTED);
  });

  it("does the like for rows", () => {
    const two = click(click(UNSORTED, "rows", "bold", "here"), "rows", "bold", "here");
    expect(two.columns).toEqual({ by: "score", word: "bold", origin: "here" });
    expect(two.rows).toEqual({ by: "similarity", word: "bold", origin: "here" });
  });

  it("starts counting anew at another header", () => {
    const two = click(click(UNSORTED, "columns", "cook", "here"), "columns", "cook", "here");
    const next = click(two, "columns", "judge", "here");
    expect(clicks(next, "columns", "judge", "here")).toBe(1);
    expect(clicks(next, "columns", "cook", "here")).toBe(0);
  });

  it("forgets the clicks on a header when another is clicked", () => {
    const one = click(click(UNSORTED, "columns", "cook", "here"), "rows", "bold", "here");
    const back = click(one, "columns", "cook", "here");
    expect([back.columns, back.rows]).toEqual([one.columns, one.rows]);
    expect(click(back, "columns", "cook", "here").columns).toEqual({ by: "similarity", word: "cook", origin: "here" });
  });

  it("starts counting anew in another model", () => {
    const one = click(UNSORTED, "columns", "cook", "here");
    expect(clicks(one, "columns", "cook", "there")).toBe(0);
    expect(click(one, "columns", "cook", "there").rows).toEqual({ by: "score", word: "cook", origin: "there" });
  });
});

describe("B.3 and B.4: the orders", () => {
  it("puts the highest score first and words without a score last", () => {
    expect(words("rows", byScore(scores, "rows", "nurse"))).toEqual(["calm", "able", "bold"]);
    expect(words("rows", byScore(scores, "rows", "judge"))).toEqual(["calm", "bold", "able"]);
    expect(words("columns", byScore(scores, "columns", "able"))).toEqual(["cook", "nurse", "judge"]);
  });

  it("puts the word itself first, then those whose scores point the same way", () => {
    expect(words("columns", bySimilarity(scores, "columns", "nurse"))).toEqual(["nurse", "judge", "cook"]);
  });

  it("takes the cosine over the places that both have", () => {
    expect(cosine([1, 0, 5], [0, 2, NaN])).toBe(0);
    expect(cosine([3, 4], [6, 8])).toBeCloseTo(1, 12);
    expect(cosine([0, 0], [1, 1])).toBeNaN();
  });

  it("shows the first and the last five, unless that leaves out one word or none", () => {
    const letters = [..."abcdefghijkl"];
    expect(ends(letters.slice(0, 11), 5)).toHaveLength(11);
    expect(ends(letters, 5)).toEqual([..."abcde", ..."hijkl"]);
    expect(ends(letters, 0)).toEqual(letters);
    expect(ends(letters, 2)).toEqual(["a", "b", "k", "l"]);
  });

  it("is alphabetical to begin with, and keeps the order of words that have their own", () => {
    expect(ordered(scores, "rows", { by: "name" })).toEqual(["able", "bold", "calm"]);
    expect(ordered(scores, "rows", { by: "name" }, true)).toEqual(rows);
  });

  it("keeps the order that a column gave when that column is gone", () => {
    // The order is made from the table in which it was asked for; a word that is not there leaves the alphabet.
    expect(ordered(scores, "rows", { by: "score", word: "pilot", origin: "x" })).toEqual(["able", "bold", "calm"]);
  });
});

describe("choosing, pinning and moving", () => {
  const order = { by: "name" } as const;
  it("puts pinned words first, though a sorting would leave them out", () => {
    const sorted = { by: "score", word: "x", origin: "" } as const;
    expect(shown([..."abcdefgh"], sorted, 1, { pinned: ["d"] })).toEqual(["d", "a", "h"]);
  });
  it("shows chosen words only", () => expect(shown(rows, order, 5, { only: ["bold"] })).toEqual(["bold"]));
  it("puts a moved word before another, or last", () => {
    expect(shown([..."abcd"], order, 5, { moved: [["d", "b"]] })).toEqual(["a", "d", "b", "c"]);
    expect(shown([..."abcd"], order, 5, { moved: [["a", ""]] })).toEqual(["b", "c", "d", "a"]);
  });
  it("leaves a moved word in its place where the one it was put before does not show", () => {
    expect(shown([..."abd"], order, 5, { moved: [["a", "c"]] })).toEqual(["a", "b", "d"]);
  });
  it("forgets what was moved by hand on the side that gets another order, and keeps it on the other", () => {
    const moved: Record<"columns" | "rows", [string, string][]> = { columns: [["cook", "nurse"]], rows: [["calm", ""]] };
    const one = click(UNSORTED, "columns", "cook", "here"); // sorts the rows
    expect(stillMoved(UNSORTED, one, moved)).toEqual({ columns: moved.columns, rows: [] });
    expect(stillMoved(one, one, moved)).toEqual(moved);
  });
});
