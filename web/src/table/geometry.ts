/** Where the cells of the table lie, in pixels from the first cell's corner. */

export interface Line {
  word: string;
  /** Which group of rows; columns are all of group 0. */
  group: number;
  at: number;
}

export interface Geometry {
  cellWidth: number;
  cellHeight: number;
  columns: Line[];
  rows: Line[];
  /** Where a group's heading stands. */
  headings: number[];
  width: number;
  height: number;
}

// A target of 24 pixels is the least that can be hit comfortably (WCAG 2.5.8).
export const LEAST = 24;
const WIDEST = 40;
export const HEADING = 24;

export function layOut(columns: readonly string[], groups: readonly (readonly string[])[], available: number): Geometry {
  const cellWidth = Math.max(LEAST, Math.min(WIDEST, Math.floor(available / Math.max(1, columns.length))));
  const cellHeight = Math.max(LEAST, Math.min(cellWidth, 28));
  const rows: Line[] = [];
  const headings: number[] = [];
  let y = 0;
  groups.forEach((words, group) => {
    headings.push(y);
    if (groups.length > 1) y += HEADING;
    for (const word of words) {
      rows.push({ word, group, at: y });
      y += cellHeight;
    }
  });
  return {
    cellWidth, cellHeight, rows, headings,
    columns: columns.map((word, i) => ({ word, group: 0, at: i * cellWidth })),
    width: columns.length * cellWidth,
    height: y,
  };
}

/** The line under a place; -1 between lines. Lines ascend. */
export function lineAt(lines: readonly Line[], size: number, place: number): number {
  let low = 0, high = lines.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (place < lines[middle].at) high = middle - 1;
    else if (place >= lines[middle].at + size) low = middle + 1;
    else return middle;
  }
  return -1;
}

/** The first and last lines that are seen in a window. */
export function visible(lines: readonly Line[], size: number, from: number, length: number): [number, number] {
  let first = 0;
  let low = 0, high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle].at + size <= from) low = middle + 1;
    else high = middle;
  }
  first = low;
  high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle].at < from + length) low = middle + 1;
    else high = middle;
  }
  return [first, low - 1];
}
