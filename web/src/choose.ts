/** Choosing which rows and columns are shown, and which are pinned to the front. */

import type { App } from "./app";
import { button, h } from "./dom";
import { plural } from "./format";
import { folded } from "./search";
import type { Axis } from "./sorting";

export function choose(app: App): void {
  const shown = app.shown;
  if (!shown) return;
  const { state, store } = app;
  const dialog = h("dialog", { class: "choose", "aria-labelledby": "choose-title" });
  const done: HTMLButtonElement = button("Show these", () => {
    const [columns, rows] = picks.map((p) => p.read());
    store.set({
      only: { columns: columns.only, rows: rows.only }, pinned: { columns: columns.pinned, rows: rows.pinned },
    });
    dialog.close();
  }, { class: "primary" });
  const picks = (["columns", "rows"] as const).map((axis) => picker(axis, app));
  dialog.append(
    h("h2", { id: "choose-title" }, "Choose rows and columns"),
    h("p", { class: "soft" }, "Ticked words are shown. Pinned words stand in front, whatever the sorting."),
    h("div", { class: "pickers" }, ...picks.map((p) => p.element)),
    h("div", { class: "actions" }, button("Cancel", () => dialog.close()), done),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();

  function picker(axis: Axis, of: App): { element: HTMLElement; read(): { only: string[]; pinned: string[] } } {
    const words = [...shown!.table[axis]];
    const only = new Set(state.only[axis].length ? state.only[axis] : words);
    const pinned = new Set(state.pinned[axis]);
    const count = h("p", { class: "soft" });
    const items = words.map((word) => {
      const box = h("input", { type: "checkbox" });
      box.checked = only.has(word);
      box.addEventListener("change", () => {
        if (box.checked) only.add(word);
        else only.delete(word);
        tell();
      });
      const pin = button("Pin", () => {
        if (pinned.has(word)) pinned.delete(word);
        else pinned.add(word);
        pin.setAttribute("aria-pressed", String(pinned.has(word)));
        tell();
      }, { class: "text", "aria-label": `Pin ${word}`, "aria-pressed": String(pinned.has(word)) });
      return { word, box, row: h("li", {}, h("label", {}, box, ` ${word}`), pin) };
    });
    const filter = h("input", { type: "search", placeholder: "Find…", "aria-label": `Find among ${axis}` });
    filter.addEventListener("input", () => {
      for (const { word, row } of items) row.hidden = !folded(word).includes(folded(filter.value.trim()));
    });
    const all = (on: boolean) => (): void => {
      for (const { word, box, row } of items) {
        if (row.hidden) continue;
        box.checked = on;
        if (on) only.add(word);
        else only.delete(word);
      }
      tell();
    };
    const tell = (): void => {
      count.textContent = `${plural(only.size, "word")} shown, ${pinned.size} pinned`;
      done.disabled = only.size === 0;
    };
    tell();
    const set = axis === "columns" ? state.targets : state.features;
    const title = h("legend", {}, `${axis === "columns" ? "Columns" : "Rows"}: ${of.title(set)}`);
    const element = h("fieldset", {}, title, filter,
      h("div", { class: "row" }, button("All", all(true), { class: "text" }), button("None", all(false), { class: "text" }), count),
      h("ul", { class: "list" }, ...items.map((i) => i.row)));
    return {
      element,
      read: () => ({ only: only.size === words.length ? [] : words.filter((w) => only.has(w)), pinned: words.filter((w) => pinned.has(w)) }),
    };
  }
}
