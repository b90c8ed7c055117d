/** Discovery: the words of the whole vocabulary that lean most towards a target. */

import { Slot } from "../api";
import type { App } from "../app";
import { colours, reach } from "../colour";
import { asked } from "../data";
import { button, h, replace, theme } from "../dom";
import { pValue, said } from "../format";
import { bars } from "./bars";

export function discovery(app: App, target: string): HTMLElement {
  const title = h("h3", {}, "Discover");
  const box = h("section", { class: "discover" });
  if (!app.can("discover")) {
    replace(box, title, h("p", { class: "soft" }, "This needs a model that gives its whole vocabulary at a blank."));
    return box;
  }
  const slot = new Slot();
  const start = button("Search the whole vocabulary", () => void run(), { class: "tool" });
  const idle = (): void => replace(box, title, h("p", { class: "soft" }, `Which of all words lean most towards “${target}”, beyond the list above?`), start);
  const run = async (): Promise<void> => {
    const bar = h("progress", { "aria-label": "Searching the vocabulary" });
    replace(box, title, h("p", { class: "soft wait" }, "Searching the vocabulary…"), bar, button("Cancel", () => {
      slot.cancel();
      idle();
    }, { class: "text" }));
    try {
      const found = await slot.run((signal) => app.data.discover(asked(app.state), target, {
        signal,
        progress: ({ done, total }) => {
          if (total) {
            bar.max = total;
            bar.value = done;
          }
        },
      }));
      if (!found) return;
      const both = [...found.towards, ...found.away].map((w) => ({ word: w.word, score: w.score ?? NaN, low: w.low ?? NaN, high: w.high ?? NaN, note: pValue(w.p ?? NaN) }));
      const far = reach(both.map((b) => b.score), true);
      const add = (word: string): void => {
        const { words } = app.state;
        if (app.shown!.table.row(word) < 0) app.store.set({ words: { ...words, features: [...words.features.filter((w) => w !== word), word] } });
        app.store.set({ feature: word });
      };
      replace(box, title, h("p", { class: "sentence" }, said(found.sentence)),
        h("h4", {}, "Towards it"), bars(both.slice(0, found.towards.length), "", far, colours(far, theme()), add),
        h("h4", {}, "Away from it"), bars(both.slice(found.towards.length), "", far, colours(far, theme()), add),
        h("p", { class: "soft" }, `${found.note} Click a word to add it to the table as a row.`));
    } catch (error) {
      replace(box, title, h("p", { class: "soft" }, error instanceof Error ? error.message : String(error)), start);
    }
  };
  idle();
  return box;
}
