/** Painting the cells that are seen. Certain ones fill their place, uncertain ones are small, absent ones a cross. */

import { uncertain } from "../colour";
import type { Table } from "../table";
import type { Geometry, Line } from "./geometry";

export interface Paints {
  tile: string;
  ink: string;
  soft: string;
  focus: string;
}

export interface Picture {
  geometry: Geometry;
  tables: readonly Table[];
  colour: (value: number) => string;
  paints: Paints;
  selected: { target: string; feature: string };
  cursor: { row: number; column: number } | null;
  focused: boolean;
}

export const SMALL = 0.4; // of the side of a cell
const INSET = 1;

interface Window {
  left: number;
  top: number;
  columns: [number, number];
  rows: [number, number];
  /** Where a line is now; while the table is being sorted, between two places. */
  place: (line: Line, axis: "columns" | "rows") => number;
}

/** The square of a cell, from its corner. */
export function square(width: number, height: number, small: boolean): [number, number, number] {
  const side = Math.min(width, height) - 2 * INSET;
  const size = small ? Math.round(side * SMALL) : side;
  return [(width - size) / 2, (height - size) / 2, size];
}

export function paint(context: CanvasRenderingContext2D, picture: Picture, window: Window): void {
  const { geometry, tables, colour, paints, selected, cursor } = picture;
  const { cellWidth: w, cellHeight: h, rows, columns } = geometry;
  const places = tables.map((table) => columns.map((line) => table.column(line.word)));
  for (let r = window.rows[0]; r <= window.rows[1]; r++) {
    const line = rows[r];
    const table = tables[line.group];
    const row = table.row(line.word);
    const y = window.place(line, "rows") - window.top;
    for (let c = window.columns[0]; c <= window.columns[1]; c++) {
      const x = window.place(columns[c], "columns") - window.left;
      const column = places[line.group][c];
      const value = row < 0 || column < 0 ? null : table.value(row, column);
      context.fillStyle = paints.tile;
      context.fillRect(x + INSET, y + INSET, w - 2 * INSET, h - 2 * INSET);
      if (!value || Number.isNaN(value.score)) {
        cross(context, x + w / 2, y + h / 2, paints.soft);
        continue;
      }
      context.fillStyle = colour(value.score);
      if (uncertain(value.low, value.high)) {
        const [dx, dy, size] = square(w, h, true);
        context.fillRect(x + dx, y + dy, size, size);
        context.strokeStyle = paints.soft; // a value near zero has hardly a colour of its own
        context.lineWidth = 0.75;
        context.strokeRect(x + dx, y + dy, size, size);
      } else {
        context.fillRect(x + INSET, y + INSET, w - 2 * INSET, h - 2 * INSET);
      }
      if (line.word === selected.feature && columns[c].word === selected.target) ring(context, x, y, w, h, paints.ink, 2.5);
    }
  }
  if (cursor && rows[cursor.row] && columns[cursor.column]) {
    const x = window.place(columns[cursor.column], "columns") - window.left;
    const y = window.place(rows[cursor.row], "rows") - window.top;
    ring(context, x, y, w, h, picture.focused ? paints.focus : paints.ink, picture.focused ? 3 : 1.5);
  }
}

function ring(context: CanvasRenderingContext2D, x: number, y: number, w: number, h: number, style: string, width: number): void {
  context.strokeStyle = style;
  context.lineWidth = width;
  context.strokeRect(x + width / 2, y + width / 2, w - width, h - width);
}

function cross(context: CanvasRenderingContext2D, x: number, y: number, style: string): void {
  context.strokeStyle = style;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x - 3, y - 3);
  context.lineTo(x + 3, y + 3);
  context.moveTo(x + 3, y - 3);
  context.lineTo(x - 3, y + 3);
  context.stroke();
}
