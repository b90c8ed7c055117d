/** The table on a canvas, with headers in the document. */

import { announce, calm, h } from "../dom";
import { interval, number, pValue, plural } from "../format";
import type { Table, Value } from "../table";
import { type Paints, paint } from "./draw";
import { type Geometry, layOut, type Line, lineAt, visible } from "./geometry";
import { type HeaderEvents, type HeaderMarks, Headers } from "./headers";

export interface Group {
  label: string;
  table: Table;
  rows: readonly string[];
}

export interface Content {
  columns: readonly string[];
  groups: readonly Group[];
  colour: (value: number) => string;
  labels: { columns: string; rows: string };
  marks: { columns: HeaderMarks; rows: HeaderMarks };
  selected: { target: string; feature: string };
}

export interface TableEvents extends HeaderEvents {
  select(target: string, feature: string): void;
}

const MOVING = 220; // milliseconds; the design brief allows 250
const HEAD = { least: 72, most: 168, top: 136 };

export class TableView {
  readonly element: HTMLDivElement;
  private readonly space = h("div", { class: "space" });
  private readonly columnHeaders: Headers;
  private readonly rowHeaders: Headers;
  private readonly body = h("div", { class: "cells", tabindex: 0, role: "application", "aria-label": "Scores" });
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly tip = h("div", { class: "tip", hidden: true, role: "presentation" });
  private readonly headings = h("div", { class: "headings", "aria-hidden": "true" });
  private geometry: Geometry = layOut([], [], 0);
  private content: Content | null = null;
  private was = { columns: new Map<string, number>(), rows: new Map<string, number>() };
  private started = 0;
  private frame = 0;
  private cursor: { row: number; column: number } | null = null;
  private following = false;
  private followed: { column?: string | undefined; row?: string | undefined } = {};
  private head = 0;
  private top = 0;

  constructor(private readonly events: TableEvents) {
    this.columnHeaders = new Headers("columns", events);
    this.rowHeaders = new Headers("rows", events);
    this.body.append(this.canvas);
    const side = h("div", { class: "side" }, this.headings, this.rowHeaders.element);
    this.space.append(h("div", { class: "corner" }), this.columnHeaders.element, side, this.body);
    this.element = h("div", { class: "grid" }, this.space);
    document.body.append(this.tip);
    this.element.addEventListener("scroll", () => {
      this.tip.hidden = true;
      this.draw();
    }, { passive: true });
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.body.addEventListener("pointermove", (event) => this.hover(event));
    this.body.addEventListener("pointerleave", () => this.point(null));
    this.body.addEventListener("click", (event) => {
      this.hover(event);
      this.choose();
    });
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("blur", () => this.point(null));
    this.body.addEventListener("focus", () => this.draw());
  }

  show(content: Content): void {
    const before = this.geometry;
    const moved = this.content !== null && this.element.clientWidth > 0;
    this.content = content;
    this.measure();
    const remember = (lines: Line[]): Map<string, number> => new Map(lines.map((l) => [l.word, l.at]));
    this.was = { columns: remember(before.columns), rows: remember(before.rows) };
    const same = JSON.stringify([before.columns, before.rows]) === JSON.stringify([this.geometry.columns, this.geometry.rows]);
    this.started = moved && !same && !calm() ? performance.now() : 0;
    const { columns, rows, cellWidth, cellHeight } = this.geometry;
    this.columnHeaders.show(columns, cellWidth, content.labels.columns, content.marks.columns);
    this.rowHeaders.show(rows, cellHeight, content.labels.rows, content.marks.rows);
    this.headings.replaceChildren(
      ...(content.groups.length > 1 ? content.groups : []).map((group, i) => {
        const heading = h("div", {}, group.label);
        heading.style.transform = `translateY(${this.geometry.headings[i]}px)`;
        return heading;
      }),
    );
    this.cursor = null;
    this.tip.hidden = true;
    this.columnHeaders.settle((line) => line.at);
    this.rowHeaders.settle((line) => line.at);
    this.following = true;
    this.draw();
  }

  /** What is selected elsewhere, or moved by a sorting, comes into sight; what was scrolled away by hand stays away. */
  private follow(): void {
    this.following = false;
    const { selected } = this.content!;
    const { columns, rows, cellWidth, cellHeight } = this.geometry;
    const column = columns.find((line) => line.word === selected.target), row = rows.find((line) => line.word === selected.feature);
    const places = { column: column && `${column.word} ${column.at}`, row: row && `${row.word} ${row.at}` };
    const { scrollLeft, scrollTop } = this.element;
    const x = column && places.column !== this.followed.column ? [column.at, cellWidth] as const : [scrollLeft, 0] as const;
    const y = row && places.row !== this.followed.row ? [row.at, cellHeight] as const : [scrollTop, 0] as const;
    this.reveal(...x, ...y);
    this.followed = places;
  }

  private measure(): void {
    const content = this.content!;
    const longest = (words: readonly string[]): number => {
      let most = 0;
      for (const w of words) if (w.length > most) most = w.length;
      return most * 7.2 + 28;
    };
    const rows = content.groups.flatMap((g) => [...g.rows]);
    this.head = Math.max(HEAD.least, Math.min(HEAD.most, longest(rows)));
    this.top = Math.max(HEAD.least, Math.min(HEAD.top, longest(content.columns)));
    this.geometry = layOut(content.columns, content.groups.map((g) => g.rows), this.element.clientWidth - this.head - 2);
    const style = this.space.style;
    style.setProperty("--head", `${this.head}px`);
    style.setProperty("--top", `${this.top}px`);
    style.width = `${this.head + this.geometry.width}px`;
    style.height = `${this.top + this.geometry.height}px`;
  }

  private resize(): void {
    if (!this.content) return;
    const { cellWidth } = this.geometry;
    this.measure();
    if (this.geometry.cellWidth !== cellWidth) this.show(this.content);
    else this.draw();
  }

  /** Paint at the next frame; one painting a frame, however many ask. */
  draw(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.paint());
  }

  private paint(): void {
    this.frame = 0;
    const content = this.content;
    const width = Math.min(this.element.clientWidth - this.head, this.geometry.width);
    const height = Math.min(this.element.clientHeight - this.top, this.geometry.height);
    if (!content || width <= 0 || height <= 0) return;
    if (this.following) this.follow(); // only now is it known how much of the table is seen
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    const context = this.canvas.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const left = this.element.scrollLeft, top = this.element.scrollTop;
    const t = this.started ? Math.min(1, (performance.now() - this.started) / MOVING) : 1;
    const ease = 1 - (1 - t) ** 3;
    const place = (line: Line, axis: "columns" | "rows"): number => {
      const old = this.was[axis].get(line.word);
      return t === 1 || old === undefined ? line.at : old + (line.at - old) * ease;
    };
    const { columns, rows, cellWidth, cellHeight } = this.geometry;
    paint(context, {
      geometry: this.geometry, tables: content.groups.map((g) => g.table), colour: content.colour,
      paints: this.paints(), selected: content.selected, cursor: this.cursor,
      focused: document.activeElement === this.body,
    }, {
      left, top, place,
      columns: visible(columns, cellWidth, left, width), rows: visible(rows, cellHeight, top, height),
    });
    if (this.started) {
      // At the end all of them: one that left the sight on its way would else stand where it was last seen.
      const [from, to] = t < 1 ? [0, 1] : [-Infinity, Infinity];
      this.columnHeaders.settle((line) => place(line, "columns"), left + width * from, left + width * to);
      this.rowHeaders.settle((line) => place(line, "rows"), top + height * from, top + height * to);
      if (t < 1) this.draw();
      else this.started = 0;
    }
  }

  private paints(): Paints {
    const style = getComputedStyle(this.element);
    const of = (name: string): string => style.getPropertyValue(name).trim();
    return { tile: of("--tile"), ink: of("--ink"), soft: of("--faint"), focus: of("--focus") };
  }

  private hover(event: MouseEvent): void {
    const box = this.body.getBoundingClientRect();
    const { columns, rows, cellWidth, cellHeight } = this.geometry;
    const column = lineAt(columns, cellWidth, event.clientX - box.left);
    const row = lineAt(rows, cellHeight, event.clientY - box.top);
    this.point(row < 0 || column < 0 ? null : { row, column });
  }

  private point(at: { row: number; column: number } | null): void {
    if (at?.row === this.cursor?.row && at?.column === this.cursor?.column) return;
    this.cursor = at;
    this.describe();
    this.draw();
  }

  /** The value under the cursor, shown beside it. */
  private describe(): void {
    const at = this.cursor, content = this.content;
    this.tip.hidden = !at || !content;
    if (!at || !content) return;
    const row = this.geometry.rows[at.row], column = this.geometry.columns[at.column];
    const group = content.groups[row.group];
    const value = group.table.of(column.word, row.word);
    this.tip.replaceChildren(h("strong", {}, `${column.word} — ${row.word}`), ...lines(value, group.table));
    const box = this.body.getBoundingClientRect();
    const x = box.left + column.at + this.geometry.cellWidth + 8, y = box.top + row.at - 4;
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    this.tip.style.left = `${x + width > innerWidth - 8 ? Math.max(8, x - width - this.geometry.cellWidth - 16) : x}px`;
    this.tip.style.top = `${Math.max(8, Math.min(innerHeight - height - 8, y))}px`;
  }

  private choose(): void {
    if (!this.cursor) return;
    this.events.select(this.geometry.columns[this.cursor.column].word, this.geometry.rows[this.cursor.row].word);
  }

  private key(event: KeyboardEvent): void {
    const { columns, rows, cellWidth, cellHeight } = this.geometry;
    if (!columns.length || !rows.length) return;
    const { row, column } = this.cursor ?? this.selectedPlace() ?? { row: 0, column: -1 };
    const page = Math.max(1, Math.floor((this.element.clientHeight - this.top) / cellHeight) - 1);
    const to: Record<string, [number, number]> = {
      ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1], ArrowDown: [row + 1, Math.max(0, column)],
      ArrowUp: [row - 1, Math.max(0, column)], Home: [row, 0], End: [row, columns.length - 1],
      PageDown: [row + page, Math.max(0, column)], PageUp: [row - page, Math.max(0, column)],
    };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.choose();
      return;
    }
    if (!(event.key in to)) return;
    event.preventDefault();
    const [r, c] = to[event.key];
    const at = { row: Math.max(0, Math.min(rows.length - 1, r)), column: Math.max(0, Math.min(columns.length - 1, c)) };
    this.reveal(columns[at.column].at, cellWidth, rows[at.row].at, cellHeight);
    this.point(at);
    announce(this.tip.textContent ?? "");
  }

  private selectedPlace(): { row: number; column: number } | null {
    const { target, feature } = this.content!.selected;
    const row = this.geometry.rows.findIndex((l) => l.word === feature);
    const column = this.geometry.columns.findIndex((l) => l.word === target);
    return row < 0 || column < 0 ? null : { row, column };
  }

  private reveal(x: number, w: number, y: number, hgt: number): void {
    const { element } = this;
    const width = element.clientWidth - this.head, height = element.clientHeight - this.top;
    if (x < element.scrollLeft) element.scrollLeft = x;
    else if (x + w > element.scrollLeft + width) element.scrollLeft = x + w - width;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + hgt > element.scrollTop + height) element.scrollTop = y + hgt - height;
  }

  /** Bring a word into sight and let its header pulse. */
  find(word: string): void {
    for (const [headers, lines] of [[this.columnHeaders, this.geometry.columns], [this.rowHeaders, this.geometry.rows]] as const) {
      const line = lines.find((l) => l.word === word);
      if (!line) continue;
      const column = headers === this.columnHeaders;
      const { cellWidth: w, cellHeight: hgt } = this.geometry;
      if (column) this.reveal(line.at, w, this.element.scrollTop, 0);
      else this.reveal(this.element.scrollLeft, 0, line.at, hgt);
      headers.pulse(word);
    }
  }
}

function lines(value: Value | null, table: Table): HTMLElement[] {
  if (!value || Number.isNaN(value.score)) return [h("span", {}, "no score: its names do not vary, or too few have one")];
  const { level, over } = table.header;
  const compared = !over;
  return [
    h("span", { class: "big" }, number(value.score)),
    h("span", {}, `${Math.round(level * 100)} % interval ${interval(value.low, value.high)}`),
    ...(compared ? [] : [h("span", {}, `adjusted ${pValue(value.adjusted)}; ${plural(value.n, over.replace(/s$/, ""))}`)]),
  ];
}
