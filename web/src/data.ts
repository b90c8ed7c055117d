/** What the server said, kept; and the questions that the page asks of it. */

import type { Cell, Discovered, MapAnswer, Sources, Summary, TypedWords } from "./answers";
import { type Asking, binary, json, Kept, type Query, queryText } from "./api";
import type { Kind, Method, State, Words } from "./state";
import { Table } from "./table";

export interface Asked {
  model: string;
  targets: string;
  features: string;
  kind: Kind;
  names: readonly string[];
}

export const asked = (state: State, change: Partial<Asked> = {}): Asked => ({
  model: state.model, targets: state.targets, features: state.features, kind: state.kind,
  names: state.kind === "indirect" ? state.words.names : [], ...change,
});

const query = ({ model, targets, features, kind, names }: Asked): Query => ({ model, targets, features, kind, add_name: names });

export class Data {
  private readonly tables = new Kept<Table>(24);
  private readonly answers = new Kept<unknown>(120);

  async table(view: Asked, asking: Asking = {}): Promise<Table> {
    const key = queryText(query(view));
    const kept = this.tables.get(key);
    if (kept) return kept;
    const table = Table.read(await binary("table", query(view), asking));
    this.tables.set(key, table);
    return table;
  }

  private async json<T>(what: Parameters<typeof json>[0], q: Query, asking: Asking): Promise<T> {
    const key = `${what}?${queryText(q)}`;
    const kept = this.answers.get(key) as T | undefined;
    if (kept !== undefined) return kept;
    const answer = await json<T>(what, q, asking);
    this.answers.set(key, answer);
    return answer;
  }

  words(view: Asked, words: Words, asking: Asking = {}): Promise<TypedWords> {
    return this.json("words", { ...query(view), add_target: words.targets, add_feature: words.features, profile_name: view.names }, asking);
  }

  cell(view: Asked, target: string, feature: string, asking: Asking): Promise<Cell> {
    return this.json("cell", { ...query(view), target, feature }, asking);
  }

  sources(view: Asked, target: string, feature: string, sensitive: readonly string[], asking: Asking): Promise<Sources> {
    return this.json("sources", { ...query(view), target, feature, sensitive }, asking);
  }

  map(view: Asked, method: Method, by: readonly string[], words: Words, asking: Asking): Promise<MapAnswer> {
    return this.json("map", { ...query(view), method, by, add_target: words.targets, add_feature: words.features }, asking);
  }

  discover(view: Asked, target: string, asking: Asking): Promise<Discovered> {
    return this.json("discover", { ...query(view), target, k: 15 }, asking);
  }

  summary(view: Asked, selection: { target: string; feature: string }, sensitive: string, asking: Asking): Promise<Summary> {
    return this.json("summary", { ...query(view), ...selection, sensitive }, asking);
  }

  compare(view: Asked, words: Words, other: string, asking: Asking): Promise<ArrayBuffer> {
    return binary("compare", { ...query(view), with: other, add_target: words.targets, add_feature: words.features }, asking);
  }
}
