/** A panel: heading, help, tools, one sentence, and its states: empty, loading, failed, ready. */

import { Failure, type Progress } from "./api";
import { announce, button, type Child, h, replace } from "./dom";

let popovers = 0;

/** A button that opens a small box beside it; it closes by Escape or a click elsewhere. */
export function popover(face: Child, label: string, fill: (box: HTMLElement, close: () => void) => void, cls = "tool"): HTMLButtonElement {
  const id = `box-${++popovers}`;
  const box = h("div", { class: "popover", popover: "auto", id, role: "dialog", "aria-label": label });
  const opener = h("button", { type: "button", class: cls, popovertarget: id, title: label }, face);
  if (typeof face !== "string" || face.length < 3) opener.setAttribute("aria-label", label);
  box.addEventListener("beforetoggle", (event) => {
    if (event.newState !== "open") return;
    replace(box);
    fill(box, () => box.hidePopover());
  });
  box.addEventListener("toggle", (event) => {
    if (event.newState !== "open") return;
    const at = opener.getBoundingClientRect();
    box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - box.offsetWidth - 8))}px`;
    const below = at.bottom + 4;
    box.style.top = `${below + box.offsetHeight > innerHeight - 8 ? Math.max(8, at.top - box.offsetHeight - 4) : below}px`;
    box.querySelector<HTMLElement>("button, input, select, a")?.focus();
  });
  document.body.append(box);
  return opener;
}

export interface Item {
  text: string;
  run: () => void;
}

/** A popover of things to do. */
export function menu(face: Child, label: string, items: () => Item[], cls = "tool"): HTMLButtonElement {
  return popover(face, label, (box, close) => {
    box.append(...items().map((item) => button(item.text, () => {
      close();
      item.run();
    }, { class: "item" })));
  }, cls);
}

export class Panel {
  readonly element: HTMLElement;
  readonly tools = h("div", { class: "tools" });
  readonly sentence = h("p", { class: "sentence" });
  readonly body = h("div", { class: "body" });
  private readonly state = h("div", { class: "state", hidden: true });
  private heading: HTMLHeadingElement;

  constructor(id: string, title: string, help: readonly string[], extra: Child[] = []) {
    this.heading = h("h2", { id: `${id}-title` }, title);
    const ask = popover("?", `Help: ${title}`, (box) => {
      box.append(h("h3", {}, title), ...help.map((line) => h("p", {}, line)));
    }, "tool help");
    this.element = h("section", { class: "panel", id, "aria-labelledby": `${id}-title` },
      h("div", { class: "head" }, this.heading, this.tools, h("div", { class: "ends" }, ...extra, ask)),
      this.sentence, this.state, this.body);
  }

  title(text: string): void {
    this.heading.textContent = text;
  }

  ready(): void {
    this.state.hidden = true;
    this.body.hidden = false;
    this.element.removeAttribute("aria-busy");
    this.element.classList.remove("stale");
  }

  /** What is shown stays, faintly, until the new is there; with nothing to keep, the state stands alone. */
  loading(text: string, cancel?: () => void): (progress: Progress) => void {
    const bar = h("progress", { "aria-label": text });
    const phase = h("span", { class: "phase" });
    replace(this.state, h("p", {}, text, " ", phase), bar, cancel && button("Cancel", cancel));
    this.state.className = "state busy";
    this.state.hidden = false;
    this.element.setAttribute("aria-busy", "true");
    this.element.classList.add("stale");
    return ({ phase: what, done, total }) => {
      phase.textContent = total ? `${what}: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : what;
      if (total) {
        bar.max = total;
        bar.value = done;
      } else bar.removeAttribute("value");
    };
  }

  failed(error: unknown, again?: () => void): void {
    const known = error instanceof Failure;
    this.message("failed", [
      h("p", {}, h("strong", {}, known ? error.message : "Something went wrong in this page.")),
      known && error.hint ? h("p", {}, error.hint) : null,
      known && error.lost.length ? h("ul", {}, ...error.lost.slice(0, 5).map((l) => h("li", {}, `${l.word}: ${l.reason}`))) : null,
      again ? button("Try again", again) : null,
    ]);
    announce(known ? error.message : "Something went wrong in this page.");
    if (!known) console.error(error);
  }

  empty(...children: Child[]): void {
    this.message("empty", children);
  }

  private message(kind: string, children: Child[]): void {
    replace(this.state, ...children);
    this.state.className = `state ${kind}`;
    this.state.hidden = false;
    this.body.hidden = true;
    this.element.removeAttribute("aria-busy");
    this.element.classList.remove("stale");
  }
}

/** A line of a menu; one that cannot be chosen says why. */
export function option(value: string, text: string, fault = "", chosen = false): HTMLOptionElement {
  const element = new Option(fault ? `${text} — ${fault}` : text, value, false, chosen);
  element.disabled = fault !== "";
  return element;
}

/** A choice among a few, as a menu of the system. */
export function select(label: string, options: readonly (readonly [string, string, string?])[], value: string, choose: (value: string) => void): HTMLSelectElement {
  const element = h("select", { "aria-label": label, title: label });
  element.append(...options.map((one) => option(one[0], one[1], one[2], one[0] === value)));
  element.addEventListener("change", () => choose(element.value));
  return element;
}
