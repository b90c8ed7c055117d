import { expect, it } from "vitest";
import { fromQuery, START, type State, Store, toQuery } from "../src/state";

const full: State = {
  view: "compare",
  model: "demo:en",
  targets: "occupation",
  features: "trait",
  sensitive: "gender",
  kind: "direct",
  sorting: {
    columns: { by: "similarity", word: "air traffic controller", origin: "m|t" },
    rows: { by: "score", word: "air traffic controller", origin: "m|t" },
  },
  count: 12,
  pinned: { columns: ["nurse", "café owner & co"], rows: [] },
  only: { columns: [], rows: ["brave"] },
  moved: { columns: [["cook", "nurse"]], rows: [["ca~lm", ""]] },
  target: "nurse",
  feature: "caring",
  method: "umap",
  colour: { category: "gender", word: "woman" },
  gradient: true,
  zoom: [0.25, 0, 1, -0.5],
  stretch: true,
  words: { targets: ["engineeress"], features: ["a+b=c", "x~y%7E"], names: ["Zoë"] },
  against: "other model",
  sentences: ["He is a ___.", "She is a ___."],
};

it("restores every part of a view from its link", () => expect(fromQuery(toQuery(full))).toEqual(full));
it("needs no query for the first visit", () => expect(toQuery(START)).toBe(""));
it("reads an empty query as the first visit", () => expect(fromQuery("")).toEqual(START));

it("takes malformed parts for a first visit's", () => {
  const state = fromQuery("view=x&kind=&ends=-4&map=__proto__&rows=score&columns=evil~x~y&zoom=1 2 3&colour=gender&rmove=a");
  expect(state).toEqual(START);
});

it("takes typed words as the server does: tidied, and each once", () => {
  const state = fromQuery("addtarget=+cafe%CC%81++owner&addtarget=caf%C3%A9+owner&addname=&addname=+");
  expect(state.words).toEqual({ targets: ["café owner"], features: [], names: [] });
});

it("tells listeners what changed, and nothing when nothing did", () => {
  const store = new Store(START);
  const heard: string[][] = [];
  store.listen((_, changed) => heard.push([...changed]));
  store.set({ model: "m", kind: "indirect" });
  store.set({ model: "m" });
  expect(heard).toEqual([["model"]]);
});
