/** Your words: typed targets, features and names, scored at once; each that cannot be says why. */

import type { App } from "./app";
import { button, h, replace } from "./dom";
import { number } from "./format";
import { tidy, type Words } from "./state";

const KINDS = [["targets", "target"], ["features", "feature"], ["names", "name"]] as const;

/** Several words at once are parted by commas. */
export const parted = (text: string): string[] => [...new Set(text.split(/[,;\n]/).map(tidy).filter(Boolean))];

export class WordsDialog {
  private readonly dialog = h("dialog", { class: "words", "aria-labelledby": "words-title" });
  private readonly list = h("div", { class: "typed" });
  private readonly input = h("input", { type: "text", id: "word", autocomplete: "off", spellcheck: "false" });
  private readonly kinds = h("div", { class: "chips", role: "radiogroup", "aria-label": "What it is" });
  private readonly note = h("p", { class: "soft", role: "status" });
  private kind: keyof Words = "targets";

  constructor(private readonly app: App) {
    const form = h("form", { submit: (event) => {
      event.preventDefault();
      this.add();
    } },
    this.kinds, h("div", { class: "row" }, h("label", { for: "word" }, "Word "), this.input, h("button", { type: "submit", class: "primary" }, "Add")));
    this.dialog.append(h("h2", { id: "words-title" }, "Your words"),
      h("p", { class: "soft" }, "Type a word, or several with commas between; each is scored on the model and appears in every view."),
      form, this.note, this.list, h("div", { class: "actions" }, button("Done", () => this.dialog.close())));
    document.body.append(this.dialog);
  }

  open(word = "", kind: keyof Words = this.kind): void {
    this.kind = kind;
    this.say(this.app.can("words") ? "" : "What is open is a finished run: new words need the model itself.");
    this.dialog.querySelector<HTMLButtonElement>("[type=submit]")!.disabled = !this.app.can("words");
    this.draw();
    if (!this.dialog.open) this.dialog.showModal();
    this.input.value = word;
    this.input.focus();
  }

  private add(): void {
    const typed = parted(this.input.value);
    const { state, catalogue, store } = this.app;
    const { words: most, word_characters: longest } = catalogue.limits;
    if (!typed.length || !this.app.can("words")) return;
    const long = typed.find((w) => w.length > longest);
    if (long) return this.say(`“${long.slice(0, 20)}…” is longer than ${longest} characters.`);
    const all = [...new Set([...state.words[this.kind], ...typed])];
    if (all.length > most) return this.say(`At most ${most} words of a kind; remove some first.`);
    this.say("");
    this.input.value = "";
    store.set({ words: { ...state.words, [this.kind]: all } });
    this.draw();
    this.input.focus();
  }

  private say(text: string): void {
    this.note.textContent = text;
  }

  /** What became of each word: its strongest links, or why it has no score. */
  draw(): void {
    const { app } = this;
    const { state, store } = app;
    replace(this.kinds, ...KINDS.map(([kind, one]) => {
      const chip = button(kind === "names" ? "first name" : `${one}: ${app.title(state[kind])}`, () => {
        this.kind = kind;
        this.draw();
        this.input.focus();
      }, { class: "chip", role: "radio", "aria-checked": String(kind === this.kind) });
      if (kind === "names" && state.kind === "direct") chip.disabled = true;
      return chip;
    }));
    const rows = KINDS.flatMap(([kind, one]) => state.words[kind].map((word) => {
      const remove = button("Remove", () => {
        store.set({ words: { ...this.app.state.words, [kind]: this.app.state.words[kind].filter((w) => w !== word) } });
        this.draw();
        this.input.focus();
      }, { class: "text", "aria-label": `Remove ${word}` });
      return h("li", {}, h("b", {}, word), h("small", {}, one), this.fate(kind, word), remove);
    }));
    replace(this.list, rows.length ? h("ul", {}, ...rows) : null);
  }

  private fate(kind: keyof Words, word: string): HTMLElement {
    const { typed, typedError } = this.app;
    if (kind === "names" && this.app.state.kind === "direct") return h("span", { class: "soft" }, "direct scores use no names");
    const answer = typed?.[kind].find((w) => w.word === word);
    if (!answer && this.app.busy) return h("span", { class: "soft" }, "being scored…");
    if (!answer) return h("span", { class: "warning" }, typedError ? `not scored: ${typedError}` : "no score");
    const table = this.app.shown?.table;
    const there = kind === "targets" ? table?.column(word) : kind === "features" ? table?.row(word) : -1;
    if (answer.lost && (there ?? -1) >= 0) return h("span", { class: "soft" }, answer.lost);
    if (answer.lost) return h("span", { class: "warning" }, `lost: ${answer.lost}`);
    const caution = answer.caution ? h("small", { class: "warning" }, ` ${answer.caution}`) : null;
    if ("to_target" in answer) return h("span", {}, answer.sentence ?? "joins the bridge", caution);
    const against = kind === "targets" ? typed!.columns : typed!.rows;
    let best = -1;
    answer.score.forEach((v, i) => {
      if (v !== null && i < against.length && (best < 0 || Math.abs(v) > Math.abs(answer.score[best]!))) best = i;
    });
    if (best < 0) return h("span", { class: "warning" }, "no score");
    return h("span", {}, `strongest with ${against[best]}: ${number(answer.score[best]!)} (${number(answer.low[best] ?? NaN)} to ${number(answer.high[best] ?? NaN)})`, caution);
  }
}
