/** The page: loads the catalogue, puts the panels in their places, and keeps the address true. */

import "./style/base.css";
import "./style/panels.css";
import "./style/figures.css";
import type { Catalogue } from "./answers";
import { catalogue, Failure } from "./api";
import { App } from "./app";
import { BlanksView } from "./blanks";
import { CompareView } from "./compare";
import { DetailPanel } from "./detail/panel";
import { announce, button, h, replace } from "./dom";
import { Headline } from "./headline";
import { MapPanel } from "./map/panel";
import { popover } from "./panel";
import { type Found, search } from "./search";
import { fromQuery, type State, Store, toQuery, type View } from "./state";
import { TablePanel } from "./tablepanel";
import { Tour } from "./tour";
import { WordsDialog } from "./words";

const VIEWS: [View, string][] = [["explore", "Explore"], ["compare", "Compare"], ["blanks", "Fill in the blank"]];

// A change of these is a step that the Back button takes back.
const STEPS: ReadonlySet<keyof State> = new Set<keyof State>(["view", "model", "targets", "features", "kind", "sensitive", "target", "feature"]);

const place = (id: string): HTMLElement => document.getElementById(id)!;

function start(known: Catalogue): void {
  const store = new Store(fromQuery(location.search));
  const app = new App(store, known);
  // What a link asks for, as far as it can be had here.
  const restored = (): State => {
    const wanted = fromQuery(location.search);
    const found = app.fitting(wanted);
    app.tell(wanted.words, found.words);
    return found;
  };
  store.state = restored();

  const headline = new Headline(app);
  const words = new WordsDialog(app);
  const table: TablePanel = new TablePanel(app, { hover, words: () => words.open() });
  const map = new MapPanel(app, hover);
  const detail = new DetailPanel(app, { pin: (axis, word) => table.pin(axis, word), hide: (axis, word) => table.hide(axis, word) });
  const tour = new Tour(app);
  // Made when first asked for.
  let compare: CompareView | null = null;
  let blanks: BlanksView | null = null;

  function hover(target: string | null): void {
    map.view.hover(target);
  }

  function find({ word, role }: Found): void {
    store.set({ view: "explore", ...(role === "target" ? { target: word, feature: "" } : { feature: word, target: "" }) });
    const { shown, state } = app;
    const axis = role === "target" ? "columns" : "rows";
    // A sorting may leave the word out: then it is pinned, for whoever looks for it wants to see it.
    if (shown && ![...shown[axis], ...shown.bandRows].includes(word)) store.set({ pinned: { ...state.pinned, [axis]: [...state.pinned[axis], word] } });
    requestAnimationFrame(() => {
      table.view.find(word);
      map.view.find(word);
    });
    announce(`${word} is selected`);
  }

  replace(place("lead"), headline.element, headline.plain);
  replace(place("explore"), table.panel.element, map.panel.element, detail.panel.element);
  replace(place("views"), ...VIEWS.map(([view, text]) => button(text, () => store.set({ view }), { "data-view": view })));
  place("search").replaceWith(search(app, find, (word) => words.open(word, "features")));
  replace(place("actions"),
    button("+ Add words", () => words.open(), { class: "tool" }),
    popover("Share", "Share this view", share),
    popover("?", "Help", (box, close) => help(box, () => {
      close();
      tour.start();
    }), "tool help"));

  const drawView = (): void => {
    const { view } = store.state;
    for (const [name] of VIEWS) {
      place(name).hidden = name !== view;
      place("views").querySelector(`[data-view=${name}]`)?.setAttribute("aria-current", name === view ? "page" : "false");
    }
    if (view === "compare") {
      compare ??= new CompareView(app);
      if (!compare.element.isConnected) place("compare").append(compare.element);
      void compare.draw();
    } else if (view === "blanks") {
      blanks ??= new BlanksView(app);
      if (!blanks.element.isConnected) place("blanks").append(blanks.element);
      void blanks.draw();
    }
  };

  // What the other views show is no longer what the headline says.
  const wait = (): void => {
    map.wait();
    detail.wait();
  };
  app.listen({
    loading: (text, cancel) => {
      if (!app.shown) wait();
      return table.panel.loading(text, cancel);
    },
    failed: (error, again) => {
      wait();
      table.wait();
      table.panel.failed(error, again);
      words.draw();
    },
    cancelled: (again) => {
      wait();
      table.wait();
      table.panel.empty(h("p", {}, h("strong", {}, "Cancelled.")), h("p", {}, "Choose something else above, or compute it after all."), button("Compute it", again));
    },
    drawn: () => {
      headline.draw();
      table.draw();
      // The table is painted before the other views are made: a new word is seen at once.
      requestAnimationFrame(() => setTimeout(() => {
        detail.draw();
        words.draw();
        void map.load();
      }));
      document.documentElement.dataset["drawn"] = String(Number(document.documentElement.dataset["drawn"] ?? 0) + 1);
      if (app.summary) tour.offer();
    },
  });

  let restoring = false;
  store.listen((state, changed) => {
    if (!restoring) {
      const address = `${location.pathname}?${toQuery(state)}`;
      if ([...changed].some((key) => STEPS.has(key))) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    }
    const has = (...keys: (keyof State)[]): boolean => keys.some((key) => changed.has(key));
    if (has("model", "targets", "features", "kind")) app.summary = null;
    headline.draw();
    if (has("model", "targets", "features", "kind", "words", "sensitive")) {
      void app.load();
    } else if (has("sorting", "count", "pinned", "only", "moved")) void app.rearrange();
    else if (has("target", "feature", "stretch")) {
      table.draw();
      detail.draw();
      void map.draw();
    }
    if (has("method")) void map.load();
    else if (has("colour", "gradient", "zoom")) void map.draw();
    if (has("view") || (state.view !== "explore" && has("model", "targets", "features", "kind", "words", "against", "sentences"))) drawView();
  });

  addEventListener("popstate", () => {
    restoring = true;
    store.set(restored());
    restoring = false;
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open], :popover-open")) return;
    if ((event.target as HTMLElement).matches("input[type=search], input[type=text]")) return;
    store.set({ target: "", feature: "" });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    table.draw();
    detail.draw();
    void map.draw();
    if (store.state.view !== "explore") drawView();
  });

  history.replaceState(null, "", `${location.pathname}?${toQuery(store.state)}`);
  headline.draw();
  drawView();
  void app.load();
}

function share(box: HTMLElement): void {
  const field = h("input", { type: "text", readonly: true, value: location.href, "aria-label": "Link to this view" });
  const copy = button("Copy", () => {
    field.select();
    const said = (): void => {
      copy.textContent = "Copied";
      announce("The link is copied");
    };
    // Not every page may write to the clipboard; then the selected text can be copied by hand.
    navigator.clipboard?.writeText(location.href).then(said, () => {});
  }, { class: "primary" });
  box.append(h("h3", {}, "A link to exactly this view"), h("p", { class: "soft" }, "Sorting, selection, colours and your words are in it. Whoever opens it needs Tiltmeter running on the same model."),
    h("div", { class: "row" }, field, copy));
}

function help(box: HTMLElement, tour: () => void): void {
  const keys: [string, string][] = [
    ["Tab", "from part to part"], ["Arrow keys", "between headers, cells and dots"], ["Enter", "select, or sort at a header"],
    ["P", "pin a row or column at its header"], ["Alt + arrow", "move a row or column"], ["Escape", "clear the selection"],
  ];
  box.append(h("h3", {}, "What this is"),
    h("p", {}, "Tiltmeter measures which words a language model links. The indirect score asks: do the first names that go with a target go with the feature as well? It runs from −1 to 1 and always stands with its interval."),
    h("h3", {}, "Keys"), h("dl", {}, ...keys.flatMap(([key, what]) => [h("dt", {}, key), h("dd", {}, what)])),
    button("Take the tour", tour, { class: "primary" }));
}

catalogue<Catalogue>().then(start, (error: unknown) => {
  const known = error instanceof Failure;
  replace(place("lead"), h("div", { class: "state failed" },
    h("p", {}, h("strong", {}, known ? error.message : "The page could not start.")),
    h("p", {}, (known && error.hint) || "Reload the page."), button("Reload", () => location.reload())));
  if (!known) console.error(error);
});
