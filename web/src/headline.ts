/** The sentence above the views, with the menus inside it; below, the same in plain words. */

import type { App } from "./app";
import { button, h, replace } from "./dom";
import { said } from "./format";
import { option, select } from "./panel";
import type { Kind } from "./state";

export class Headline {
  readonly element = h("form", { class: "headline", "aria-label": "What is shown", submit: (e) => e.preventDefault() });
  readonly plain = h("p", { class: "plain" });
  private drawn = "";

  constructor(private readonly app: App) {}

  draw(): void {
    const { app } = this;
    const { state, catalogue } = app;
    const key = JSON.stringify([state.model, state.targets, state.features, state.kind, state.sensitive, state.view, app.against()]);
    if (key !== this.drawn) {
      this.drawn = key;
      const pairs = app.linked();
      const distinct = (words: string[]): string[] => [...new Set(words)];
      const named = (names: string[]): [string, string, string][] => names.map((n) => [n, app.title(n), app.absent(n)]);
      const features = distinct(pairs.filter(([t]) => t === state.targets).map(([, f]) => f));
      const kinds = (["indirect", "direct"] as Kind[]).filter((kind) => app.pairs({ ...state, kind }).length);
      const say = (text: string): HTMLElement => h("span", {}, text);
      const model = select("Model", catalogue.models.map((m) => [m.id, m.name]), state.model, (m) => app.switch({ model: m }));
      const links = [
        select("Targets", named(distinct(pairs.map(([t]) => t))), state.targets, (targets) => app.switch({ targets })),
        say(" with "), this.features(features), say(" "),
        select("Kind of score", kinds.map((k) => [k, k === "indirect" ? "through first names (indirect)" : "in one sentence (direct)"]), state.kind, (kind) => app.switch({ kind: kind as Kind })),
      ];
      const sentences = {
        explore: () => [say("How "), model, say(" links "), ...links, say(" — and is it "),
          // Whether a link with gender is gender is no question.
          select("Sensitive attribute", named(catalogue.sensitive).map(([name, title, fault]) => [name, name === state.features ? "something else" : title, fault]), state.sensitive, (sensitive) => app.switch({ sensitive })), say("?")],
        compare: () => [say("Where "), model, say(" and "), select("Compare with", app.others(), app.against(), (against) => app.store.set({ against })),
          say(" differ in linking "), ...links],
        blanks: () => [say("Which words "), model, say(" expects in a blank")],
      };
      replace(this.element, ...sentences[state.view]());
      this.plain.hidden = state.view !== "explore";
    }
    const { summary, shown } = app;
    const header = shown?.table.header;
    const own = header?.model === state.model && header.targets === state.targets && header.features === state.features && header.kind === state.kind;
    this.plain.classList.toggle("away", !summary && !own); // it speaks of what was shown before
    if (summary) {
      replace(this.plain, ...summary.parts.map(({ text: sent, role }) => {
        const text = said(sent);
        const { strongest } = summary;
        if (strongest && (role === "target" || role === "feature") && (text === strongest.target || text === strongest.feature)) {
          return button(text, () => app.store.set({ target: strongest.target, feature: strongest.feature }), { class: "word" });
        }
        return role ? h("b", {}, text) : text;
      }));
    } else if (own) this.plain.textContent = said(header.sentence);
  }

  private features(names: string[]): HTMLSelectElement {
    const { app } = this;
    const element = h("select", { "aria-label": "Features", title: "Features" });
    const group = (label: string, of: string[]): void => {
      if (!of.length) return;
      const box = h("optgroup", { label });
      box.append(...of.map((n) => option(n, app.title(n), app.absent(n), n === app.state.features)));
      element.append(box);
    };
    group("neutral", names.filter((n) => !app.sensitive(n)));
    group("sensitive", names.filter((n) => app.sensitive(n)));
    element.addEventListener("change", () => app.switch({ features: element.value }));
    return element;
  }
}
