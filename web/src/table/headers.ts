/** The headers of rows and columns: buttons in the document, which sort by a click and move by being dragged. */

import { h } from "../dom";
import type { Axis } from "../sorting";
import type { Line } from "./geometry";

export interface HeaderMarks {
  selected: string;
  pinned: ReadonlySet<string>;
  typed: ReadonlySet<string>;
  /** By which word, and in which step of its three clicks. */
  sorted: ReadonlyMap<string, 1 | 2>;
}

export interface HeaderEvents {
  click(axis: Axis, word: string): void;
  pin(axis: Axis, word: string): void;
  /** Put a word before another; "" is the end. */
  move(axis: Axis, word: string, before: string): void;
  hover(axis: Axis, word: string | null): void;
  menu(axis: Axis, word: string, at: HTMLElement): void;
}

const DRAG = 6; // pixels before a press is a drag

export class Headers {
  readonly element: HTMLDivElement;
  private buttons = new Map<string, HTMLButtonElement>();
  private lines: readonly Line[] = [];
  private size = 0;
  private dragged = false;
  private readonly marker = h("div", { class: "drop", hidden: true });

  constructor(readonly axis: Axis, private readonly events: HeaderEvents) {
    this.element = h("div", { class: `headers ${axis}`, role: "group" }, this.marker);
    this.element.addEventListener("click", (event) => {
      const word = this.wordOf(event.target);
      if (word !== null && !this.dragged) events.click(axis, word);
      this.dragged = false;
    });
    this.element.addEventListener("contextmenu", (event) => {
      const word = this.wordOf(event.target);
      if (word === null) return;
      event.preventDefault();
      events.menu(axis, word, event.target as HTMLElement);
    });
    this.element.addEventListener("pointerover", (event) => events.hover(axis, this.wordOf(event.target)));
    this.element.addEventListener("pointerleave", () => events.hover(axis, null));
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("focusin", (event) => this.rove(event.target as HTMLElement));
    this.element.addEventListener("pointerdown", (event) => this.press(event));
  }

  private wordOf(target: EventTarget | null): string | null {
    return (target as HTMLElement | null)?.closest<HTMLButtonElement>("button[data-word]")?.dataset["word"] ?? null;
  }

  show(lines: readonly Line[], size: number, label: string, marks: HeaderMarks): void {
    this.lines = lines;
    this.size = size;
    this.element.setAttribute("aria-label", label);
    const kept = new Map<string, HTMLButtonElement>();
    const fresh: HTMLButtonElement[] = [];
    for (const { word } of lines) {
      const button = this.buttons.get(word) ?? h("button", { type: "button", "data-word": word, tabindex: -1 }, h("span", {}, word));
      kept.set(word, button);
      fresh.push(button);
      this.mark(button, word, marks);
    }
    for (const [word, button] of this.buttons) if (!kept.has(word)) button.remove();
    this.buttons = kept;
    const focused = [...kept.values()].find((button) => button === document.activeElement);
    // In the document's order, so that reading and tabbing follow the eye; only what moved is moved.
    let next = this.marker.nextSibling;
    for (const button of fresh) {
      if (button === next) next = next.nextSibling;
      else this.element.insertBefore(button, next);
    }
    if (focused && focused !== document.activeElement) focused.focus({ preventScroll: true }); // lost while it was moved
    this.element.style.setProperty("--cell", `${size}px`);
    if (fresh.length && !fresh.some((b) => b.tabIndex === 0)) fresh[0].tabIndex = 0;
  }

  private mark(button: HTMLButtonElement, word: string, marks: HeaderMarks): void {
    const sorted = marks.sorted.get(word);
    const classes = [
      word === marks.selected && "selected", marks.pinned.has(word) && "pinned", marks.typed.has(word) && "typed",
      sorted && "sorted",
    ].filter(Boolean).join(" ");
    if (button.className !== classes) button.className = classes;
    if (sorted) button.dataset["clicks"] = String(sorted);
    else delete button.dataset["clicks"];
    button.setAttribute("aria-pressed", String(Boolean(sorted)));
  }

  /** Put the headers where `place` says; those out of sight stay put until the table stands still. */
  settle(place: (line: Line) => number, from = -Infinity, to = Infinity): void {
    const move = this.axis === "columns" ? "translateX" : "translateY";
    for (const line of this.lines) {
      const at = place(line);
      if (at + this.size < from || at > to) continue;
      this.buttons.get(line.word)!.style.transform = `${move}(${at}px)`;
    }
  }

  focus(word: string): void {
    this.buttons.get(word)?.focus();
  }

  pulse(word: string): void {
    const button = this.buttons.get(word);
    if (!button) return;
    button.classList.add("pulse");
    setTimeout(() => button.classList.remove("pulse"), 1600);
  }

  private rove(target: HTMLElement): void {
    for (const button of this.buttons.values()) if (button.tabIndex === 0 && button !== target) button.tabIndex = -1;
    target.tabIndex = 0;
  }

  private key(event: KeyboardEvent): void {
    const word = this.wordOf(event.target);
    const at = this.lines.findIndex((line) => line.word === word);
    if (word === null || at < 0) return;
    const back = this.axis === "columns" ? "ArrowLeft" : "ArrowUp";
    const on = this.axis === "columns" ? "ArrowRight" : "ArrowDown";
    const last = this.lines.length - 1;
    const steps: Record<string, number> = { [back]: at - 1, [on]: at + 1, Home: 0, End: last };
    if (event.key in steps) {
      event.preventDefault();
      const to = Math.max(0, Math.min(last, steps[event.key]));
      if (event.altKey && to !== at) {
        this.events.move(this.axis, word, this.lines[to < at ? to : to + 1]?.word ?? "");
        requestAnimationFrame(() => this.focus(word));
      } else {
        this.focus(this.lines[to].word);
      }
    } else if (event.key === "p" || event.key === "P") {
      this.events.pin(this.axis, word);
    }
  }

  private press(event: PointerEvent): void {
    const word = this.wordOf(event.target);
    if (word === null || event.button !== 0 || event.pointerType === "touch") return;
    const along = (e: PointerEvent): number => (this.axis === "columns" ? e.clientX : e.clientY);
    const start = along(event);
    const button = this.buttons.get(word)!;
    let before = "";
    this.dragged = false;
    const move = (e: PointerEvent): void => {
      if (!this.dragged && Math.abs(along(e) - start) < DRAG) return;
      this.dragged = true;
      button.classList.add("dragged");
      const box = this.element.getBoundingClientRect();
      const place = along(e) - (this.axis === "columns" ? box.left : box.top);
      const next = this.lines.find((line) => line.at + this.size / 2 > place);
      const end = this.lines[this.lines.length - 1];
      before = next?.word ?? "";
      this.marker.hidden = false;
      const at = next ? next.at : end.at + this.size;
      this.marker.style.transform = this.axis === "columns" ? `translateX(${at - 1}px)` : `translateY(${at - 1}px)`;
    };
    const end = (e: PointerEvent): void => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
      button.classList.remove("dragged");
      this.marker.hidden = true;
      if (this.dragged && e.type === "pointerup" && before !== word) this.events.move(this.axis, word, before);
      // The click that follows on the same button is not one; without it, the next one is.
      setTimeout(() => (this.dragged = false));
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  }
}
