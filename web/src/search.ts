/** Finding a word among targets, features and sensitive words: type, arrow keys, Enter. */

import type { App } from "./app";
import { h, replace } from "./dom";

export interface Found {
  word: string;
  role: "target" | "feature";
  of: string;
}

const PLAIN: Record<string, string> = { ı: "i", ß: "ss", æ: "ae", œ: "oe", ø: "o", ð: "d", þ: "th", ł: "l" };

/** As somebody types who has not these letters, in upper or lower case: "emilie" finds Émilie, "ilayda" finds İlayda. */
export const folded = (text: string): string =>
  text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[ıßæœøðþł]/g, (one) => PLAIN[one] ?? one);

/** Words that begin with what was typed come first, then those in which a later word does, then the rest. */
export function matches(typed: string, words: readonly Found[], most = 8): Found[] {
  const wanted = folded(typed.trim());
  if (!wanted) return [];
  const rank = ({ word }: Found): number => {
    const low = folded(word);
    if (low === wanted) return 0;
    if (low.startsWith(wanted)) return 1;
    if (low.includes(` ${wanted}`) || low.includes(`-${wanted}`)) return 2;
    return low.includes(wanted) ? 3 : 4;
  };
  return words.map((w) => ({ w, r: rank(w) })).filter(({ r }) => r < 4)
    .sort((a, b) => a.r - b.r || a.w.word.length - b.w.word.length || a.w.word.localeCompare(b.w.word))
    .slice(0, most).map(({ w }) => w);
}

export function search(app: App, choose: (found: Found) => void, add: (word: string) => void): HTMLElement {
  const input = h("input", {
    type: "search", id: "find", placeholder: "Find a word", autocomplete: "off", spellcheck: "false", role: "combobox",
    "aria-label": "Find a word", "aria-expanded": "false", "aria-controls": "found", "aria-autocomplete": "list",
  });
  const list = h("ul", { id: "found", role: "listbox", "aria-label": "Words found", hidden: true });
  let found: Found[] = [];
  let at = -1;
  const words = (): Found[] => {
    const { shown, state } = app;
    if (!shown) return [];
    return [
      ...shown.table.columns.map((word) => ({ word, role: "target" as const, of: app.title(state.targets) })),
      ...shown.table.rows.map((word) => ({ word, role: "feature" as const, of: app.title(state.features) })),
      ...shown.bandRows.map((word) => ({ word, role: "feature" as const, of: app.title(state.sensitive) })),
    ];
  };
  const close = (): void => {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const pick = (one: Found): void => {
    input.value = "";
    close();
    choose(one);
  };
  const draw = (): void => {
    found = matches(input.value, words());
    at = found.length ? Math.max(0, Math.min(at, found.length - 1)) : -1;
    const open = input.value.trim() !== "";
    list.hidden = !open;
    input.setAttribute("aria-expanded", String(open));
    if (at >= 0) input.setAttribute("aria-activedescendant", `found-${at}`);
    else input.removeAttribute("aria-activedescendant");
    const option = (i: number, run: () => void, ...children: (Node | string)[]): HTMLElement => {
      const item = h("li", { role: "option", id: `found-${i}`, "aria-selected": String(i === at) }, ...children);
      item.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
      item.addEventListener("click", run);
      return item;
    };
    const typed = input.value.trim();
    replace(list, ...(found.length
      ? found.map((one, i) => option(i, () => pick(one), h("span", {}, one.word), h("small", {}, one.of)))
      : [option(0, () => {
        input.value = "";
        close();
        add(typed);
      }, h("span", {}, `“${typed}” is not in this table. Add it?`))]));
  };
  input.addEventListener("input", () => {
    at = 0;
    draw();
  });
  input.addEventListener("blur", close);
  input.addEventListener("focus", () => input.value && draw());
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      if (list.hidden) return;
      event.stopPropagation();
      input.value = "";
      close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (found.length) at = (at + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length;
      draw();
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (found[at]) pick(found[at]);
      else if (input.value.trim()) (list.firstElementChild as HTMLElement).click();
    }
  });
  return h("div", { class: "search" }, input, list);
}
