/** What can be chosen: categories that sentences link and the model at hand can score, and states that fit them. */

import type { Catalogue, WordSet } from "./answers";
import { categories } from "./format";
import { origin, readOrigin } from "./orders";
import type { Axis, Order } from "./sorting";
import { START, type State } from "./state";

export abstract class Offered {
  constructor(readonly catalogue: Catalogue) {}

  abstract get state(): State;

  set(name: string): WordSet | undefined {
    return this.catalogue.sets.find((s) => s.name === name);
  }

  sensitive(name: string): boolean {
    return this.set(name)?.role === "sensitive";
  }

  /** "occupations", but "gender": a sensitive category is named, not counted. */
  title = (name: string): string => (this.set(name)?.role === "concept" ? categories(name) : name.replace(/-/g, " "));

  /** The pairs of categories that sentences link, or that the run at hand has. */
  linked(state: State = this.state): [string, string][] {
    const model = this.catalogue.models.find((m) => m.id === state.model);
    if (model?.views) return model.views.filter((v) => v.kind === state.kind).map((v) => [v.targets, v.features]);
    return this.catalogue.pairs[state.kind];
  }

  /** Those of them that the model at hand can score. */
  pairs(state: State = this.state): [string, string][] {
    return this.linked(state).filter((pair) => !pair.some((name) => this.absent(name, state.model)));
  }

  /** Why the model can score no word of a category; "" where it can. */
  absent(name: string, id = this.state.model): string {
    const model = this.catalogue.models.find((m) => m.id === id);
    const words = this.set(name)?.words ?? [];
    return model && words.length > 0 && words.every((w) => model.absent[name]?.includes(w)) ? model.absent_reason : "";
  }

  /** The state with menus that fit each other: what was asked for where there is such a view, else the nearest. */
  fitting(state: State): State {
    const usual = this.catalogue.default;
    const out = { ...state };
    if (!this.catalogue.models.some((m) => m.id === out.model)) out.model = usual.model || this.catalogue.models[0].id;
    if (!this.pairs(out).length) out.kind = out.kind === "direct" ? "indirect" : "direct";
    const pairs = this.pairs(out);
    const wanted = (targets: string, features: string): boolean => pairs.some(([t, f]) => t === targets && f === features);
    out.targets ||= usual.targets;
    out.features ||= usual.features;
    if (!wanted(out.targets, out.features)) {
      const [targets, features] = pairs.find(([t]) => t === out.targets) ?? pairs.find(([, f]) => f === out.features) ?? pairs[0] ?? ["", ""];
      Object.assign(out, { targets, features });
    }
    const able = this.catalogue.sensitive.filter((name) => !this.absent(name, out.model));
    if (!able.includes(out.sensitive)) out.sensitive = able.includes(usual.sensitive) ? usual.sensitive : able[0] ?? "";
    out.sorting = { ...out.sorting, columns: this.settled(out, "columns"), rows: this.settled(out, "rows") };
    const model = this.catalogue.models.find((m) => m.id === out.model)!;
    if (!model.can.includes("words")) out.words = START.words; // a finished run scores none
    return out;
  }

  /** A sorting that was made in a table which is not offered here is made in the table at hand. */
  private settled(state: State, axis: Axis): Order {
    const order = state.sorting[axis];
    if (!("origin" in order)) return order;
    const made = readOrigin(order.origin);
    const offered = made && this.catalogue.models.some((m) => m.id === made.model)
      && [made.features, made.sensitive].every((name) => !name
        || this.pairs({ ...state, model: made.model, kind: made.kind }).some(([t, f]) => t === made.targets && f === name));
    return offered ? order : { ...order, origin: origin(state, Boolean(made?.sensitive)) };
  }
}
