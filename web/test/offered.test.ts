import { expect, it } from "vitest";
import type { Catalogue, Model, WordSet } from "../src/answers";
import { App } from "../src/app";
import { Offered } from "../src/offered";
import { START, type State, Store } from "../src/state";

const set = (name: string, role: WordSet["role"], ...words: string[]): WordSet => ({ name, title: name, role, size: words.length, words, genders: {} });
const model = (id: string, more: Partial<Model> = {}): Model =>
  ({ id, name: id, source: "model", kind: "", language: "en", can: ["table", "words"], views: null, absent: {}, absent_reason: "", note: null, ...more });

const catalogue: Catalogue = {
  models: [
    model("whole"),
    model("novels", { absent: { age: ["old", "aged"], trait: ["trendy"] }, absent_reason: "met fewer than 100 times in training" }),
    model("run", { can: ["table"], views: [{ targets: "sport", features: "gender", kind: "indirect" }] }),
  ],
  sets: [set("sport", "concept", "chess"), set("trait", "concept", "calm", "trendy"), set("gender", "sensitive", "woman"), set("age", "sensitive", "old", "aged")],
  pairs: { indirect: [["sport", "trait"], ["sport", "gender"], ["sport", "age"]], direct: [["sport", "gender"]] },
  sensitive: ["age", "gender"],
  default: { model: "whole", targets: "sport", features: "trait", sensitive: "age", kind: "indirect" },
  limits: { words: 20, word_characters: 60, k: 100 },
} as unknown as Catalogue;

class Shop extends Offered {
  state: State = { ...START, model: "novels" };
}
const shop = new Shop(catalogue);
const fitting = (change: Partial<State>): State => shop.fitting({ ...START, ...change });

it("offers no category of which the model met no word, and says why", () => {
  expect(shop.absent("age")).toBe("met fewer than 100 times in training");
  expect(shop.absent("trait")).toBe(""); // one of its words is there
  expect(shop.absent("age", "whole")).toBe("");
  expect(shop.linked()).toContainEqual(["sport", "age"]);
  expect(shop.pairs()).not.toContainEqual(["sport", "age"]);
});

it("takes the nearest that the model can score", () => {
  expect(fitting({ model: "novels", targets: "sport", features: "age" }).features).toBe("trait");
  expect(fitting({ model: "novels" }).sensitive).toBe("gender"); // the usual one is not there
  expect(fitting({ model: "whole" }).sensitive).toBe("age");
  expect(fitting({ model: "nobody" }).model).toBe("whole");
});

it("leaves typed words to models that can score them", () => {
  const words = { targets: ["go"], features: [], names: [] };
  expect(fitting({ model: "whole", words }).words).toEqual(words);
  expect(fitting({ model: "run", words }).words).toBe(START.words);
});

it("names the typed words that a finished run leaves out, until something else is chosen", () => {
  const app = new App(new Store({ ...START, model: "whole", targets: "sport", features: "gender", words: { targets: ["go"], features: ["she"], names: [] } }), catalogue);
  app.switch({ model: "run" });
  expect(app.note).toBe("A finished run scores no new words: go and she left out.");
  expect(app.state.words).toEqual(START.words);
  app.switch({ model: "whole" });
  expect(app.note).toBe("");
});

it("makes a sorting anew that was made where nobody can look it up", () => {
  const sorted = (origin: string): string => {
    const order = fitting({ model: "whole", targets: "sport", features: "trait", sensitive: "gender", sorting: { ...START.sorting, columns: { by: "score", word: "calm", origin } } }).sorting.columns;
    return "origin" in order ? order.origin : "";
  };
  expect(sorted("novels|sport|trait|indirect")).toBe("novels|sport|trait|indirect");
  expect(sorted("gone|sport|trait|indirect")).toBe("whole|sport|trait|indirect");
  expect(sorted("novels|sport|age|indirect")).toBe("whole|sport|trait|indirect");
  expect(sorted("gone|sport|trait|indirect|age")).toBe("whole|sport|trait|indirect|gender"); // a word of the band
});
