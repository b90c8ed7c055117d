/** The first visit: three steps on the data at hand. Nothing is covered; every step can be done or skipped. */

import type { App } from "./app";
import { button, h, replace } from "./dom";

const SEEN = "tiltmeter-tour";

const seen = (): boolean => {
  try {
    return localStorage.getItem(SEEN) !== null;
  } catch {
    return true; // where nothing may be kept, a tour at every visit would be a nuisance
  }
};

interface Step {
  at: string;
  title: string;
  text: (app: App) => string;
  next: string;
  act?: (app: App) => void;
}

const STEPS: Step[] = [
  {
    at: "#lead", title: "1 of 3: read the sentence",
    text: (app) => `Here you see how ${app.model.name} links ${app.title(app.state.targets)} with ${app.title(app.state.features)}. The menus are part of the sentence: change any of them.`,
    next: "Show the strongest link",
    act: (app) => {
      const strongest = app.summary?.strongest;
      if (strongest) app.store.set({ target: strongest.target, feature: strongest.feature });
    },
  },
  {
    at: "#table", title: "2 of 3: the table and the map are one",
    text: (app) => `${app.state.target ? `“${app.state.target}”` : "A target"} is selected in both. Orange goes together, purple apart; small squares are not sure. Click a header to sort, a cell to look behind it.`,
    next: "What explains it?",
  },
  {
    at: "#detail", title: "3 of 3: what lies behind it",
    text: () => "Every mark is a first name. Below them, “What explains it” holds one sensitive attribute of the names fixed after another: if the link shrinks, that attribute stands behind it.",
    next: "Done",
  },
];

export class Tour {
  private readonly card = h("aside", { class: "tour", "aria-label": "Tour", hidden: true });

  constructor(private readonly app: App) {
    document.body.append(this.card);
  }

  /** At the first visit, once there is something to show. */
  offer(): void {
    if (!seen() && this.card.hidden) this.step(0);
  }

  start(): void {
    this.step(0);
    this.card.querySelector("button")?.focus();
  }

  end(): void {
    this.card.hidden = true;
    this.mark(null);
    try {
      localStorage.setItem(SEEN, "seen");
    } catch {
      // then it is offered again
    }
  }

  private mark(selector: string | null): void {
    document.querySelector(".toured")?.classList.remove("toured");
    if (selector) document.querySelector(selector)?.classList.add("toured");
  }

  private step(i: number): void {
    const step = STEPS[i];
    if (!step) return this.end();
    const focused = this.card.contains(document.activeElement);
    this.card.hidden = false;
    this.card.classList.toggle("aside", step.at === "#detail"); // never above what it speaks of
    this.mark(step.at);
    if (i > 0) document.querySelector(step.at)?.scrollIntoView({ block: "nearest" });
    replace(this.card, h("h2", {}, step.title), h("p", {}, step.text(this.app)),
      h("div", { class: "actions" }, button("Skip", () => this.end(), { class: "text" }), button(step.next, () => {
        step.act?.(this.app);
        this.step(i + 1);
      }, { class: "primary" })));
    if (focused) this.card.querySelector<HTMLButtonElement>(".primary")?.focus();
  }
}
