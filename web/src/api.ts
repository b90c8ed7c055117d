/** Talking to the server: plain requests, with progress and cancelling for those that take long. */

export interface Lost {
  word: string;
  where: string;
  reason: string;
}

export class Failure extends Error {
  constructor(
    message: string, readonly code: string, readonly hint: string | null = null, readonly lost: Lost[] = [],
  ) {
    super(message);
  }
}

export interface Progress {
  phase: string;
  done: number;
  total: number;
}

export type Query = Record<string, string | number | readonly string[] | undefined>;

export type What = "table" | "words" | "cell" | "sources" | "map" | "discover" | "compare" | "blanks" | "summary";

export interface Asking {
  signal?: AbortSignal;
  progress?: (progress: Progress) => void;
}

const BASE = "api/v1";
const PATIENCE = 150; // milliseconds before progress is asked for

export function queryText(query: Query): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === "") continue;
    for (const one of typeof value === "object" ? value : [value]) params.append(key, String(one));
  }
  return params.toString();
}

async function failure(response: Response): Promise<Failure> {
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string; hint: string | null; lost?: Lost[] } };
    return new Failure(error.message, error.code, error.hint, error.lost ?? []);
  } catch {
    return new Failure(`The server answered with status ${response.status}.`, "internal", "Try again.");
  }
}

async function ask(path: string, asking: Asking): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`${BASE}/${path}`, { signal: asking.signal ?? null, credentials: "same-origin" });
  } catch (error) {
    if (asking.signal?.aborted) throw error;
    throw new Failure(
      "Tiltmeter does not answer.", "away", "Is 'tiltmeter explore' still running? Start it again and reload this page.",
    );
  }
  if (!response.ok) throw await failure(response);
  return response;
}

/** Listens to a computation's progress while it lasts; the stream ends with it. */
function listen(what: What, query: string, asking: Asking): () => void {
  if (!asking.progress) return () => {};
  let source: EventSource | null = null;
  const timer = setTimeout(() => {
    source = new EventSource(`${BASE}/progress/${what}?${query}`);
    source.addEventListener("progress", (event) => asking.progress?.(JSON.parse(event.data) as Progress));
    for (const end of ["done", "failed", "error"]) source.addEventListener(end, () => source?.close());
  }, PATIENCE);
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}

async function request<T>(what: What, query: Query, asking: Asking, read: (response: Response) => Promise<T>): Promise<T> {
  const text = queryText(query);
  const stop = listen(what, text, asking);
  try {
    return await read(await ask(`${what}?${text}`, asking));
  } finally {
    stop();
  }
}

export const json = <T>(what: What, query: Query, asking: Asking = {}): Promise<T> =>
  request(what, query, asking, (response) => response.json() as Promise<T>);

export const binary = (what: "table" | "compare", query: Query, asking: Asking = {}): Promise<ArrayBuffer> =>
  request(what, query, asking, (response) => response.arrayBuffer());

export const catalogue = async <T>(): Promise<T> => (await ask("catalogue", {})).json() as Promise<T>;

/** Answers that were given once are kept; only the latest so many. */
export class Kept<T> {
  private readonly values = new Map<string, T>();
  constructor(private readonly most = 40) {}

  get(key: string): T | undefined {
    const value = this.values.get(key);
    if (value !== undefined) {
      this.values.delete(key);
      this.values.set(key, value);
    }
    return value;
  }

  set(key: string, value: T): void {
    this.values.set(key, value);
    if (this.values.size > this.most) this.values.delete(this.values.keys().next().value!);
  }
}

/** A place for one request at a time: a new one cancels the one before. */
export class Slot {
  private controller: AbortController | null = null;

  async run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    this.cancel();
    const controller = new AbortController();
    this.controller = controller;
    try {
      const value = await work(controller.signal);
      return controller.signal.aborted ? undefined : value;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    } finally {
      if (this.controller === controller) this.controller = null;
    }
  }

  get busy(): boolean {
    return this.controller !== null;
  }

  cancel(): void {
    this.controller?.abort();
    this.controller = null;
  }
}
