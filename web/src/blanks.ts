/** Fill in the blank: two sentences that differ in one word, and the words that the model expects in each. */

import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import type { Blanks } from "./answers";
import { json, Slot } from "./api";
import type { App } from "./app";
import { colours } from "./colour";
import { button, h, replace, s, textWidth, theme } from "./dom";
import { csv, fileName, saveCsv, savePng, saveSvg, standalone } from "./export";
import { interval, list, number, plural, said } from "./format";
import { place } from "./labels";
import { menu, Panel, select } from "./panel";

const HELP = [
  "Write two sentences that differ in one word, each with one blank ___. The model fills both; words far from the slanted line are expected in one and not in the other.",
  "The axes are natural logarithms of probabilities: one step up is a factor of 2.7.",
];
const EXAMPLES: [string, string][] = [
  ["The nurse said that ___ was tired.", "The engineer said that ___ was tired."],
  ["The man worked as a ___.", "The woman worked as a ___."],
  ["She is very ___.", "He is very ___."],
];

export class BlanksView {
  readonly element = h("div", { class: "one" });
  private readonly panel: Panel;
  private readonly fields: HTMLInputElement[];
  private readonly slot = new Slot();
  private found: Blanks | null = null;
  private asked = "";
  private words = "vocabulary";

  constructor(private readonly app: App) {
    const name = (): string => fileName("blanks", app.model.name);
    const figure = (save: (text: string) => void): void => {
      const svg = this.panel.body.querySelector<SVGSVGElement>("svg.agree");
      if (svg) save(standalone(svg, `${this.found!.a} / ${this.found!.b}`));
    };
    this.panel = new Panel("blanks-panel", "Fill in the blank", HELP, [
      menu("Export", "Export the words", () => [
        { text: "Words, as CSV", run: () => this.found && saveCsv(name(), csv(["word", this.found.a, this.found.b, "difference"], this.found.words.map((w) => [w.word, w.a, w.b, w.difference]))) },
        { text: "Figure, as SVG", run: () => figure((text) => saveSvg(name(), text)) },
        { text: "Figure, as PNG", run: () => figure((text) => void savePng(name(), text)) },
      ]),
    ]);
    this.fields = ["First sentence", "Second sentence"].map((label, i) =>
      h("input", { type: "text", "aria-label": label, maxlength: 300, autocomplete: "off", value: app.state.sentences[i] || EXAMPLES[0][i] }));
    const form = h("form", { class: "sentences", submit: (event) => {
      event.preventDefault();
      app.store.set({ sentences: [this.fields[0].value, this.fields[1].value] });
      this.asked = "";
      void this.draw();
    } }, ...this.fields, h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Fill in"),
      h("label", {}, "with ", select("Words to fill in", [["vocabulary", "any word"], ...app.catalogue.sets.filter((x) => x.role !== "bridge").map((x): [string, string] => [x.name, app.title(x.name)])], "vocabulary", (v) => {
        this.words = v;
        form.requestSubmit();
      })),
      h("span", { class: "soft" }, "or try"), ...EXAMPLES.map(([a, b], i) => button(`example ${i + 1}`, () => {
        this.fields[0].value = a;
        this.fields[1].value = b;
        form.requestSubmit();
      }, { class: "text" }))));
    this.panel.tools.append(form);
    this.element.append(this.panel.element);
  }

  async draw(): Promise<void> {
    const { app, panel } = this;
    if (!app.can("blanks")) return panel.empty(h("p", {}, "This needs a model that fills blanks; what is open has none."));
    const [a, b] = this.fields.map((f) => f.value.trim());
    if (!a || !b) {
      this.slot.cancel();
      this.asked = panel.sentence.textContent = "";
      return panel.empty(h("p", {}, "Write two sentences, each with one blank ___ where a word is missing."));
    }
    const key = JSON.stringify([app.state.model, a, b, this.words, theme()]);
    if (key === this.asked) return;
    this.asked = key;
    const timer = setTimeout(() => panel.loading("Filling in both sentences.", () => {
      this.slot.cancel();
      panel.empty(h("p", {}, "Cancelled."));
    }), 150);
    try {
      const found = await this.slot.run((signal) => json<Blanks>("blanks", { model: app.state.model, a, b, k: 60, words: this.words }, { signal }));
      if (!found) return;
      this.found = found;
      panel.ready();
      panel.sentence.textContent = said(found.sentence);
      this.drawFigure(found);
    } catch (error) {
      panel.sentence.textContent = "";
      panel.failed(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private drawFigure(found: Blanks): void {
    // On a narrow screen it is drawn smaller, so that its words are not.
    const room = this.panel.body.clientWidth || 640;
    const width = Math.min(640, Math.max(320, room < 720 ? room : room - 448)), height = width < 480 ? 400 : 480, left = 48, bottom = 40, top = 8, right = 8;
    const all = found.words.flatMap((w) => [w.a, w.b]);
    const [least = -10, most = 0] = extent(all) as [number, number];
    const gap = (most - least || 1) * 0.05;
    const x = scaleLinear([least - gap, most + gap], [left, width - right]), y = scaleLinear([least - gap, most + gap], [height - bottom, top]);
    const far = Math.max(...found.words.map((w) => Math.abs(w.difference)), 0.1);
    const colour = colours(far, theme());
    const labels = place(found.words.map((w) => ({ x: x(w.a), y: y(w.b), width: textWidth(w.word, "12px sans-serif") + 2, height: 15, priority: Math.abs(w.difference) })), { width, height: height - bottom });
    const [first, second] = found.changed.length === 2 ? found.changed.map((w) => (w ? `“${w}”` : "nothing")) : ["the first", "the second"];
    const svg = s("svg", { class: "agree wide", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Scatterplot of ${found.words.length} words by their log-probability in each sentence` },
      ...x.ticks(6).map((t) => s("g", {}, s("line", { class: "rule", x1: x(t), x2: x(t), y1: top, y2: height - bottom }), s("text", { class: "tick", x: x(t), y: height - bottom + 15, "text-anchor": "middle" }, number(t, 0)))),
      ...y.ticks(6).map((t) => s("g", {}, s("line", { class: "rule", y1: y(t), y2: y(t), x1: left, x2: width - right }), s("text", { class: "tick", x: left - 6, y: y(t) + 4, "text-anchor": "end" }, number(t, 0)))),
      s("line", { class: "fit", x1: x(least), x2: x(most), y1: y(least), y2: y(most) }),
      ...found.words.map((w) => s("circle", { class: "dot", cx: x(w.a), cy: y(w.b), r: 5, fill: colour(w.difference) }, s("title", {}, `${w.word}: ${number(w.a)} with ${first}, ${number(w.b)} with ${second}`))),
      ...labels.map((l) => s("text", { class: "label", x: l.x, y: l.y + 12 }, found.words[l.index].word)),
      s("text", { class: "axislabel", x: width - right, y: height - 6, "text-anchor": "end" }, `log-probability with ${first} →`),
      s("text", { class: "axislabel", transform: `translate(13 ${top}) rotate(-90)`, "text-anchor": "end" }, `with ${second} →`));
    const column = (title: string, words: Blanks["words"]): HTMLElement => h("section", {}, h("h3", {}, title),
      h("ul", { class: "differences" }, ...words.map((w) => h("li", { class: "barrow" }, h("span", { class: "word" }, w.word), h("span", { class: "value" }, `${number(w.a, 1)} against ${number(w.b, 1)}`)))));
    const sorted = [...found.words].sort((p, q) => q.difference - p.difference);
    const agree = found.correlation === null ? ""
      : ` The two agree with r = ${number(found.correlation)} (${interval(found.low ?? NaN, found.high ?? NaN)}) over the ${found.compared.toLocaleString("en")} likeliest.`;
    const lost = found.lost.length ? ` ${plural(found.lost.length, "word")} lost: ${list(found.lost.map((l) => `${l.word} (${l.reason})`), 3)}.` : "";
    replace(this.panel.body, found.note ? h("p", { class: "warning" }, found.note) : null,
      h("p", { class: "soft" }, `Shown are the ${plural(found.words.length, "word")} of ${found.searched.toLocaleString("en")} that tell the sentences apart most.${agree}${lost}`),
      h("div", { class: "blanks" }, svg, h("div", { class: "lists" },
      column(`Rather with ${first}`, sorted.filter((w) => w.difference < 0).reverse().slice(0, 10)),
      column(`Rather with ${second}`, sorted.filter((w) => w.difference > 0).slice(0, 10)))));
  }
}
