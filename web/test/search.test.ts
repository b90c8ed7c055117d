import { expect, it } from "vitest";
import { matches } from "../src/search";

const found = (typed: string, ...words: string[]): string[] =>
  matches(typed, words.map((word) => ({ word, role: "feature", of: "names" }))).map(({ word }) => word);

it("finds words however their letters are typed", () => {
  expect(found("emilie", "Émilie", "Emil")).toEqual(["Émilie"]);
  expect(found("ilayda", "İlayda")).toEqual(["İlayda"]);
  expect(found("IŞIK", "ışık")).toEqual(["ışık"]);
  expect(found("Þórður", "Þórður", "Thor")).toEqual(["Þórður"]);
  expect(found("strasse", "Straße")).toEqual(["Straße"]);
  expect(found("ma\u0308dchen", "Mädchen")).toEqual(["Mädchen"]);
});

it("puts words that begin with what was typed first", () => {
  expect(found("cook", "pastry cook", "cookery", "cook")).toEqual(["cook", "cookery", "pastry cook"]);
});
